import { afterEach, describe, expect, test } from 'vitest'
import { Ledger } from '../../approvals/index.js'
import { decisionOf } from '../../approvals/testing/fixtures.js'
import { DONE, MENU, THINKING } from '../testing/demo-screens.js'
import { SessionFixture, type SessionFixtureOptions } from '../testing/session-fixture.js'
import { SessionJournal } from './journal.js'

/** Events that start or end a request. */
const APPROVAL_EVENTS = ['approval.requested', 'approval.applied', 'approval.stale', 'approval.cancelled'] as const

let fixture: SessionFixture
afterEach(() => fixture.close())

async function open(options: SessionFixtureOptions = {}): Promise<void> {
  fixture = await SessionFixture.open(options)
  fixture.session.goLive()
}

describe('a menu with an option that takes text', () => {
  const menuWith = (last: string, isSelected: boolean) => [
    ...['▷ hello', '', ...MENU.slice(0, 4)],
    ` ${isSelected ? ' ' : '▸'} 1. Yes, this once`,
    '   2. No',
    ` ${isSelected ? '▸' : ' '} 3. ${last}`,
    ...MENU.slice(6),
  ]

  test('keeps its request while text is typed into it', async () => {
    await open()
    await fixture.paint([])
    await fixture.session.type(new TextEncoder().encode('\r'))
    await fixture.paint(menuWith('No, and tell the agent what to do instead', false), { isGone: true })
    for (const written of ['u', 'use the other', 'use the other branch']) {
      await fixture.paint(menuWith(written, true), { isGone: true, passMs: 0 })
      await fixture.print(`\u001b[9;${7 + written.length}H\u001b[?25h`)
    }
    expect((await fixture.written(...APPROVAL_EVENTS)).map(({ type }) => type)).toEqual(['approval.requested'])
  })

  test('accepts a denial with a note, and the ledger records how the note was delivered', async () => {
    await open()
    await fixture.paint([])
    await fixture.session.type(new TextEncoder().encode('\r'))
    await fixture.pass(2_000)
    const label = 'No, and tell the agent what to do instead'
    await fixture.paint(menuWith(label, false), { isGone: true })
    const ledger = new Ledger(fixture.store)
    const asked = fixture.session.approval!
    const deny = asked.request.options.find(({ meaning }) => meaning === 'deny')!
    expect(deny.label).toBe('No')
    const note = 'use the other branch'
    await ledger.decide(asked.id, decisionOf(asked, { option: deny.key, note }))
    const applying = fixture.session.apply((await ledger.get(asked.id))!)
    const from = fixture.keys.length
    const pressed = async (keys: string) => {
      for (let waits = 0; waits < 200 && fixture.keys.slice(from).join('') !== keys; waits++) await fixture.pass(50)
      expect(fixture.keys.slice(from).join('')).toBe(keys)
    }
    const down = '\u001b[B'
    await pressed(down)
    await fixture.paint(
      menuWith(label, false).map(row => row.replace(/▸ 1/, '  1').replace('  2.', '▸ 2.')),
      {
        isGone: true,
        passMs: 50,
      },
    )
    await pressed(down + down)
    await fixture.paint(menuWith(label, true), { isGone: true, passMs: 50 })
    await pressed(`${down}${down}${note}`)
    await fixture.paint(menuWith(note, true), { isGone: true, passMs: 0 })
    await fixture.print(`\u001b[9;${7 + note.length}H\u001b[?25h`, 50)
    await pressed(`${down}${down}${note}\r`)
    await fixture.paint(['▷ hello', '', '◆ I take the other branch.', '', DONE, ''])
    await applying
    const applied = (await ledger.get(asked.id))!
    expect([applied.state, applied.outcome?.reason]).toEqual(['applied', undefined])
    expect(applied.outcome?.evidence).toContainEqual({ kind: 'note', way: 'option' })
    expect(fixture.keys.join('')).not.toContain('Denied:')
    expect(fixture.session.heldPrompts).toEqual([])
  })
})

describe('a menu that is drawn again in two steps', () => {
  test.each([
    ['is the same request after an arrow key', '\u001b[B', 1],
    ['is another request after a key that may have answered it', '\r', 2],
  ])('%s', async (_, key, requests) => {
    await open()
    await fixture.paint([])
    await fixture.session.type(new TextEncoder().encode('\r'))
    await fixture.paint(MENU, { isGone: true })
    await fixture.session.type(new TextEncoder().encode(key))
    await fixture.paint(MENU.slice(0, 2), { isGone: true })
    expect(fixture.session.observation?.view).toBe('unknown')
    await fixture.paint(MENU, { isGone: true })
    expect(await fixture.written('approval.requested')).toHaveLength(requests)
  })
})

describe('prompts while the agent works', () => {
  const cannotQueue = (toml: string) => toml.replace('queue = true', 'queue = false')
  const busy = ['▷ first', '', THINKING, '']

  test('are held if the agent cannot queue, and are sent when it is idle', async () => {
    await open({ pack: cannotQueue })
    await fixture.paint(busy)
    const sent = fixture.session.send('second')
    await fixture.pass(100)
    expect(await sent).toMatchObject({ result: 'held', prompt: expect.stringMatching(/^msg_/) })
    await fixture.pass(5_000)
    expect(fixture.keys).toEqual([])
    expect((await SessionJournal.open(fixture.store, 'ses_stage')).prompts.held).toMatchObject([{ text: 'second' }])
    const done = ['▷ first', '', '◆ The first answer.', '', DONE, '']
    await fixture.paint(done)
    expect(fixture.keys).toEqual(['second'])
    await fixture.paint(done, { draft: 'second' })
    expect(fixture.keys).toEqual(['second', '\r'])
    await fixture.paint([...done, '▷ second', '', THINKING, ''])
    expect(await fixture.events('prompt.ended')).toMatchObject([{ result: 'delivered' }])
    expect((await SessionJournal.open(fixture.store, 'ses_stage')).prompts.held).toEqual([])
    expect(fixture.session.heldPrompts).toEqual([])
  })

  test('can be dropped while they are held, and can be refused instead of held', async () => {
    await open({ pack: cannotQueue })
    await fixture.paint(busy)
    const sent = fixture.session.send('second', { whenBusy: 'hold' })
    await fixture.pass(100)
    const { prompt } = (await sent) as { prompt: string }
    expect(await fixture.session.dropPrompt(prompt)).toBe(true)
    expect(await fixture.session.dropPrompt(prompt)).toBe(false)
    const refused = fixture.session.send('third', { whenBusy: 'refuse' })
    await fixture.pass(100)
    expect(await refused).toMatchObject({ result: 'refused', reason: 'busy' })
    await fixture.paint(['▷ first', '', '◆ The first answer.', '', DONE, ''])
    await fixture.pass(5_000)
    expect(fixture.keys).toEqual([])
  })

  test('get their own turns if the agent queued them', async () => {
    await open()
    await fixture.paint(['▷ first', '', THINKING, ''])
    const sent = fixture.session.send('second')
    await fixture.pass(100)
    await fixture.paint(['▷ first', '', THINKING, ''], { draft: 'second', passMs: 300 })
    await fixture.paint(['▷ first', '', THINKING, '', '▷ second  queued'])
    expect(await sent).toEqual({ result: 'queued' })
    const first = ['▷ first', '', '◆ The first answer.', '', DONE, '']
    await fixture.paint([...first, '▷ second', '', THINKING, ''])
    await fixture.paint([...first, '▷ second', '', '◆ The second answer.', '', '◈ Finished in 1s · 2 tokens', ''])
    expect(await fixture.messages()).toEqual(['The first answer.', 'The second answer.'])
    expect(await fixture.events('turn.closed')).toMatchObject([
      { turn: 'ses_stage.1', outcome: 'done' },
      { turn: 'ses_stage.2', outcome: 'done' },
    ])
  })

  test('are delivered, not queued, if the turn before ends while they are typed', async () => {
    await open()
    await fixture.paint(['▷ first', '', THINKING, ''])
    const sent = fixture.session.send('second')
    await fixture.pass(100)
    await fixture.paint(['▷ first', '', THINKING, ''], { draft: 'second', passMs: 300 })
    const first = ['▷ first', '', '◆ The first answer.', '', DONE, '']
    await fixture.paint([...first, '▷ second', '', THINKING, ''])
    expect(await sent).toEqual({ result: 'delivered' })
    expect(await fixture.events('prompt.ended')).toMatchObject([{ result: 'delivered', turn: 'ses_stage.2' }])
  })

  test('are queued if the turn before has not ended, although the screen looks idle', async () => {
    await open({ pack: toml => toml.replace('terminator = "required"', 'terminator = "none"') })
    const half = ['▷ first', '', '◆ The first answer.', '']
    await fixture.paint(['▷ first', '', THINKING, ''])
    const sent = fixture.session.send('second')
    await fixture.pass(100)
    await fixture.paint(half, { draft: 'second', passMs: 150 })
    expect(fixture.session.observation?.busy).not.toBe(true)
    await fixture.paint([...half, '▷ second  queued'])
    await fixture.pass(1_000)
    expect(await sent).toEqual({ result: 'queued' })
    const first = ['▷ first', '', '◆ The first answer.', '', DONE, '']
    await fixture.paint([...first, '▷ second', '', THINKING, ''])
    await fixture.paint([...first, '▷ second', '', '◆ The second answer.', '', '◈ Finished in 1s · 2 tokens', ''])
    expect(await fixture.events('turn.opened')).toMatchObject([{ prompt: 'first' }, { prompt: 'second' }])
    expect(await fixture.messages()).toEqual(['The first answer.', 'The second answer.'])
  })

  test('have one turn if the agent works on them before it shows them', async () => {
    await open({ pack: toml => toml.replace('terminator = "required"', 'terminator = "none"') })
    await fixture.paint(['▷ first', '', THINKING, ''])
    const sent = fixture.session.send('second')
    await fixture.pass(100)
    await fixture.paint(['▷ first', '', THINKING, ''], { draft: 'second', passMs: 300 })
    await fixture.paint(['▷ first', '', THINKING, '', '▷ second  queued'])
    expect(await sent).toEqual({ result: 'queued' })
    const first = ['▷ first', '', '◆ The first answer.', '']
    await fixture.paint(first)
    await fixture.pass(5_000)
    await fixture.paint([...first, THINKING, ''])
    await fixture.paint([...first, '▷ second', '', THINKING, ''])
    await fixture.paint([...first, '▷ second', '', '◆ The second answer.', ''])
    await fixture.pass(5_000)
    expect(await fixture.messages()).toEqual(['The first answer.', 'The second answer.'])
    expect(await fixture.events('turn.closed')).toMatchObject([{ turn: 'ses_stage.1' }, { turn: 'ses_stage.2' }])
  })
})

describe('the input box', () => {
  const boxed = (content: string) =>
    `\u001b[H\u001b[J${'─'.repeat(60)}\r\n▷ ${content}\r\n${'─'.repeat(60)}\r\n  enter to send`

  test('is empty with a suggestion: faint text after a cursor drawn as a background', async () => {
    await open()
    await fixture.print(boxed('\u001b[48;2;212;212;212mI\u001b[49m\u001b[38;2;108;112;134m would run it.\u001b[39m'))
    expect(fixture.session.observation?.composer).toMatchObject({
      empty: true,
      draft: '',
      placeholder: 'I would run it.',
    })
    await fixture.print(boxed('\u001b[48;2;212;212;212mI\u001b[49m would run it.'))
    expect(fixture.session.observation?.composer).toMatchObject({ empty: false, draft: 'I would run it.' })
  })

  test('ignores zero-width characters', async () => {
    await open()
    await fixture.print(boxed('hello \u001b[7m \u200b\u001b[27m'))
    expect(fixture.session.observation?.composer).toMatchObject({ draft: 'hello' })
  })
})

describe('interrupting a session', () => {
  test('ends the turn, and the message reports it', async () => {
    await open()
    await fixture.paint(['▷ hello', '', '◆ Half of it', '', THINKING, ''])
    const interrupting = fixture.session.interrupt()
    await fixture.pass(100)
    expect(fixture.keys).toEqual(['\u001b'])
    await fixture.paint([
      '▷ hello',
      '',
      '◆ Half of it',
      '',
      '◈ Stopped by you after 3s · what should I do instead?',
      '',
    ])
    expect(await interrupting).toEqual({ result: 'interrupted' })
    expect(await fixture.messages()).toEqual(['Half of it\n\n*Interrupted.*'])
    expect(await fixture.events('turn.closed')).toMatchObject([{ outcome: 'interrupted' }])
  })
})

describe('stopping a session', () => {
  test('interrupts, presses the exit keys, sends TERM after 3 s and KILL after 5 s more', async () => {
    await open()
    await fixture.paint(['▷ hello', '', THINKING, ''])
    const stopping = fixture.session.stop()
    await fixture.pass(7_500)
    expect(fixture.keys).toEqual(['\u001b', '\u0003', '\u0003'])
    await fixture.pass(1_500)
    expect(fixture.signals).toEqual(['SIGTERM'])
    await fixture.pass(5_500)
    expect(fixture.signals).toEqual(['SIGTERM', 'SIGKILL'])
    await fixture.exit(null, 'SIGKILL')
    await fixture.pass(100)
    await stopping
    expect(await fixture.events('session.ended')).toMatchObject([{ reason: 'stopped' }])
  })
})

describe('the keyboard of a session', () => {
  const person = (id: string, notified: string[] = []) => ({
    id,
    name: id,
    holderChanged: (by: { kind: string; name?: string }) => void notified.push(`${id}: ${by.name ?? by.kind}`),
  })
  const bytes = (text: string) => new TextEncoder().encode(text)

  test('belongs to one person, whose size counts; another person takes it over, and all are notified', async () => {
    await open()
    const notified: string[] = []
    const leave = fixture.session.join(person('ann', notified))
    fixture.session.join(person('bob', notified))
    expect(await fixture.session.type(bytes('a'), 'ann')).toBe(true)
    expect(await fixture.session.type(bytes('b'), 'bob')).toBe(false)
    await fixture.session.resize(70, 20, 'bob')
    await fixture.session.resize(90, 30, 'ann')
    fixture.session.takeKeyboard('bob')
    expect(await fixture.session.type(bytes('b'), 'bob')).toBe(true)
    expect(await fixture.session.type(bytes('a'), 'ann')).toBe(false)
    leave()
    expect(fixture.session.holder).toMatchObject({ name: 'bob' })
    expect(fixture.keys).toEqual(['a', 'b'])
    expect(fixture.signals).toEqual(['90x30'])
    expect(notified).toEqual(['ann: ann', 'bob: ann', 'ann: bob', 'bob: bob'])
  })

  test('belongs to Signalbox while it types a prompt', async () => {
    await open()
    await fixture.paint(['hello'])
    const notified: string[] = []
    fixture.session.join(person('ann', notified))
    const sending = fixture.session.send('a prompt')
    await fixture.pass(100)
    expect(await fixture.session.type(bytes('x'), 'ann')).toBe(false)
    await fixture.pass(20_000)
    expect(await sending).toMatchObject({ result: 'unconfirmed' })
    expect(await fixture.session.type(bytes('x'), 'ann')).toBe(true)
    expect(notified).toEqual(['ann: ann', 'ann: signalbox', 'ann: ann'])
  })
})
