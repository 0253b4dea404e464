import { afterEach, describe, expect, test } from 'vitest'
import { Ledger } from '../../approvals/index.js'
import { decisionOf } from '../../approvals/testing/fixtures.js'
import { DONE, MENU, THINKING } from '../testing/demo-screens.js'
import { SessionFixture, type SessionFixtureOptions } from '../testing/session-stage.js'
import { SessionJournal } from './journal.js'

/** Events with which a request begins or ends. */
const APPROVAL_EVENTS = ['approval.requested', 'approval.applied', 'approval.stale', 'approval.cancelled'] as const

let stage: SessionFixture
afterEach(() => stage.close())

async function open(options: SessionFixtureOptions = {}): Promise<void> {
  stage = await SessionFixture.open(options)
  stage.session.goLive()
}

describe('a menu with an option that takes text', () => {
  const menuWith = (last: string, isSelected: boolean) => [
    ...['▷ hello', '', ...MENU.slice(0, 4)],
    ` ${isSelected ? ' ' : '▸'} 1. Yes, this once`,
    '   2. No',
    ` ${isSelected ? '▸' : ' '} 3. ${last}`,
    ...MENU.slice(6),
  ]

  test('is the same request while text is typed into it', async () => {
    await open()
    await stage.paint([])
    await stage.session.type(new TextEncoder().encode('\r'))
    await stage.paint(menuWith('No, and tell the agent what to do instead', false), { isGone: true })
    for (const written of ['u', 'use the other', 'use the other branch']) {
      await stage.paint(menuWith(written, true), { isGone: true, passMs: 0 })
      await stage.print(`\u001b[9;${7 + written.length}H\u001b[?25h`)
    }
    expect((await stage.written(...APPROVAL_EVENTS)).map(({ type }) => type)).toEqual(['approval.requested'])
  })

  test('takes a denial with its note, and the ledger records how the note was delivered', async () => {
    await open()
    await stage.paint([])
    await stage.session.type(new TextEncoder().encode('\r'))
    await stage.pass(2_000)
    const label = 'No, and tell the agent what to do instead'
    await stage.paint(menuWith(label, false), { isGone: true })
    const ledger = new Ledger(stage.store)
    const asked = stage.session.approval!
    const deny = asked.request.options.find(({ meaning }) => meaning === 'deny')!
    expect(deny.label).toBe('No')
    const note = 'use the other branch'
    await ledger.decide(asked.id, decisionOf(asked, { option: deny.key, note }))
    const applying = stage.session.apply((await ledger.get(asked.id))!)
    const from = stage.keys.length
    const pressed = async (keys: string) => {
      for (let waits = 0; waits < 200 && stage.keys.slice(from).join('') !== keys; waits++) await stage.pass(50)
      expect(stage.keys.slice(from).join('')).toBe(keys)
    }
    const down = '\u001b[B'
    await pressed(down)
    await stage.paint(
      menuWith(label, false).map(row => row.replace(/▸ 1/, '  1').replace('  2.', '▸ 2.')),
      {
        isGone: true,
        passMs: 50,
      },
    )
    await pressed(down + down)
    await stage.paint(menuWith(label, true), { isGone: true, passMs: 50 })
    await pressed(`${down}${down}${note}`)
    await stage.paint(menuWith(note, true), { isGone: true, passMs: 0 })
    await stage.print(`\u001b[9;${7 + note.length}H\u001b[?25h`, 50)
    await pressed(`${down}${down}${note}\r`)
    await stage.paint(['▷ hello', '', '◆ I take the other branch.', '', DONE, ''])
    await applying
    const applied = (await ledger.get(asked.id))!
    expect([applied.state, applied.outcome?.reason]).toEqual(['applied', undefined])
    expect(applied.outcome?.evidence).toContainEqual({ kind: 'note', way: 'option' })
    expect(stage.keys.join('')).not.toContain('Denied:')
    expect(stage.session.heldPrompts).toEqual([])
  })
})

describe('prompts while the agent works', () => {
  const cannotQueue = (toml: string) => toml.replace('queue = true', 'queue = false')
  const busy = ['▷ first', '', THINKING, '']

  test('are held if the agent cannot queue, and sent when it rests', async () => {
    await open({ pack: cannotQueue })
    await stage.paint(busy)
    const sent = stage.session.send('second')
    await stage.pass(100)
    expect(await sent).toMatchObject({ result: 'held', prompt: expect.stringMatching(/^msg_/) })
    await stage.pass(5_000)
    expect(stage.keys).toEqual([])
    expect((await SessionJournal.open(stage.store, 'ses_stage')).prompts.held).toMatchObject([{ text: 'second' }])
    const done = ['▷ first', '', '◆ The first answer.', '', DONE, '']
    await stage.paint(done)
    expect(stage.keys).toEqual(['second'])
    await stage.paint(done, { draft: 'second' })
    expect(stage.keys).toEqual(['second', '\r'])
    await stage.paint([...done, '▷ second', '', THINKING, ''])
    expect(await stage.events('prompt.released')).toMatchObject([{ result: 'delivered' }])
    expect((await SessionJournal.open(stage.store, 'ses_stage')).prompts.held).toEqual([])
    expect(stage.session.heldPrompts).toEqual([])
  })

  test('can be dropped while they are held, and refused instead of held', async () => {
    await open({ pack: cannotQueue })
    await stage.paint(busy)
    const sent = stage.session.send('second', { whenBusy: 'hold' })
    await stage.pass(100)
    const { prompt } = (await sent) as { prompt: string }
    expect(stage.session.dropPrompt(prompt)).toBe(true)
    expect(stage.session.dropPrompt(prompt)).toBe(false)
    const refused = stage.session.send('third', { whenBusy: 'refuse' })
    await stage.pass(100)
    expect(await refused).toMatchObject({ result: 'refused', reason: 'busy' })
    await stage.paint(['▷ first', '', '◆ The first answer.', '', DONE, ''])
    await stage.pass(5_000)
    expect(stage.keys).toEqual([])
  })

  test('that the agent queued get their own turns', async () => {
    await open()
    await stage.paint(['▷ first', '', THINKING, ''])
    const sent = stage.session.send('second')
    await stage.pass(100)
    await stage.paint(['▷ first', '', THINKING, ''], { draft: 'second', passMs: 300 })
    await stage.paint(['▷ first', '', THINKING, '', '▷ second  queued'])
    expect(await sent).toEqual({ result: 'queued' })
    const first = ['▷ first', '', '◆ The first answer.', '', DONE, '']
    await stage.paint([...first, '▷ second', '', THINKING, ''])
    await stage.paint([...first, '▷ second', '', '◆ The second answer.', '', '◈ Finished in 1s · 2 tokens', ''])
    expect(await stage.messages()).toEqual(['The first answer.', 'The second answer.'])
    expect(await stage.events('turn.closed')).toMatchObject([
      { turn: 'ses_stage.1', outcome: 'done' },
      { turn: 'ses_stage.2', outcome: 'done' },
    ])
  })
})

describe('the input box', () => {
  const boxed = (content: string) =>
    `\u001b[H\u001b[J${'─'.repeat(60)}\r\n▷ ${content}\r\n${'─'.repeat(60)}\r\n  enter to send`

  test('with a suggestion in it is empty: faint text behind a cursor drawn as a background', async () => {
    await open()
    await stage.print(boxed('\u001b[48;2;212;212;212mI\u001b[49m\u001b[38;2;108;112;134m would run it.\u001b[39m'))
    expect(stage.session.observation?.composer).toMatchObject({
      empty: true,
      draft: '',
      placeholder: 'I would run it.',
    })
    await stage.print(boxed('\u001b[48;2;212;212;212mI\u001b[49m would run it.'))
    expect(stage.session.observation?.composer).toMatchObject({ empty: false, draft: 'I would run it.' })
  })

  test('ignores zero-width characters', async () => {
    await open()
    await stage.print(boxed('hello \u001b[7m \u200b\u001b[27m'))
    expect(stage.session.observation?.composer).toMatchObject({ draft: 'hello' })
  })
})

describe('interrupting', () => {
  test('ends the turn, and the message says so', async () => {
    await open()
    await stage.paint(['▷ hello', '', '◆ Half of it', '', THINKING, ''])
    const interrupting = stage.session.interrupt()
    await stage.pass(100)
    expect(stage.keys).toEqual(['\u001b'])
    await stage.paint(['▷ hello', '', '◆ Half of it', '', '◈ Stopped by you after 3s · what should I do instead?', ''])
    expect(await interrupting).toEqual({ result: 'interrupted' })
    expect(await stage.messages()).toEqual(['Half of it\n\n*Interrupted.*'])
    expect(await stage.events('turn.closed')).toMatchObject([{ outcome: 'interrupted' }])
  })
})

describe('stopping', () => {
  test('interrupts, presses the exit keys, then TERM after 3 s and KILL after 5 more', async () => {
    await open()
    await stage.paint(['▷ hello', '', THINKING, ''])
    const stopping = stage.session.stop()
    await stage.pass(7_500)
    expect(stage.keys).toEqual(['\u001b', '\u0003', '\u0003'])
    await stage.pass(1_500)
    expect(stage.signals).toEqual(['SIGTERM'])
    await stage.pass(5_500)
    expect(stage.signals).toEqual(['SIGTERM', 'SIGKILL'])
    await stage.exit(null, 'SIGKILL')
    await stage.pass(100)
    await stopping
    expect(await stage.events('session.ended')).toMatchObject([{ reason: 'stopped' }])
  })
})

describe('the keyboard', () => {
  const person = (id: string, notified: string[] = []) => ({
    id,
    name: id,
    held: (by: { kind: string; name?: string }) => void notified.push(`${id}: ${by.name ?? by.kind}`),
  })
  const bytes = (text: string) => new TextEncoder().encode(text)

  test('is held by one person, whose size counts; another takes it over, and all are notified', async () => {
    await open()
    const notified: string[] = []
    const leave = stage.session.join(person('ann', notified))
    stage.session.join(person('bob', notified))
    expect(await stage.session.type(bytes('a'), 'ann')).toBe(true)
    expect(await stage.session.type(bytes('b'), 'bob')).toBe(false)
    await stage.session.resize(70, 20, 'bob')
    await stage.session.resize(90, 30, 'ann')
    stage.session.takeKeyboard('bob')
    expect(await stage.session.type(bytes('b'), 'bob')).toBe(true)
    expect(await stage.session.type(bytes('a'), 'ann')).toBe(false)
    leave()
    expect(stage.session.holder).toMatchObject({ name: 'bob' })
    expect(stage.keys).toEqual(['a', 'b'])
    expect(stage.signals).toEqual(['90x30'])
    expect(notified).toEqual(['ann: ann', 'bob: ann', 'ann: bob', 'bob: bob'])
  })

  test('is Signalbox’s while it types a prompt', async () => {
    await open()
    await stage.paint(['hello'])
    const notified: string[] = []
    stage.session.join(person('ann', notified))
    const sending = stage.session.send('a prompt')
    await stage.pass(100)
    expect(await stage.session.type(bytes('x'), 'ann')).toBe(false)
    await stage.pass(20_000)
    expect(await sending).toMatchObject({ result: 'unconfirmed' })
    expect(await stage.session.type(bytes('x'), 'ann')).toBe(true)
    expect(notified).toEqual(['ann: ann', 'ann: signalbox', 'ann: ann'])
  })
})
