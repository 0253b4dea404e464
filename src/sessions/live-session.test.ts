import { afterEach, describe, expect, test } from 'vitest'
import { Ledger } from '../approvals/index.js'
import { decisionOf } from '../approvals/testing/fixtures.js'
import { SessionJournal } from './journal.js'
import { SessionStage, type StageOptions } from './testing/session-stage.js'

const THINKING = '◜ Thinking… 3s · 10 tokens · esc to stop'
const DONE = '◈ Finished in 5s · 1.2k tokens'
const MENU = [
  '━'.repeat(60),
  ' Run a command',
  ' May I run this command?',
  '',
  ' ▸ 1. Yes, this once',
  '   2. No',
  '',
  ' enter to choose · ↑/↓ to move · esc to decline',
]
const TRANSCRIPT = { hasTranscript: true, hasHooks: false, canResume: true }

let stage: SessionStage
afterEach(() => stage.close())

async function open(options: StageOptions = {}): Promise<void> {
  stage = await SessionStage.open(options)
  stage.session.goLive()
}

/** Greeting, prompt, work, answer, end. */
async function turn(prompt: string, answer: readonly string[], above: readonly string[] = []): Promise<string[]> {
  const rows = [...above, `▷ ${prompt}`, '']
  await stage.paint([...rows, THINKING, ''])
  await stage.paint([...rows, ...answer, '', THINKING, ''])
  const done = [...rows, ...answer, '', DONE, '']
  await stage.paint(done)
  return done
}

describe('a turn', () => {
  test('is opened by its prompt, said once, and closed', async () => {
    await open()
    await stage.paint([' Signalbox demo agent 1.0.0'])
    await turn('hello', ['◆ Hello there, I am here.'])
    expect(await stage.messages()).toEqual(['Hello there, I am here.'])
    expect(await stage.events('turn.closed')).toEqual([{ session: 'ses_stage', turn: 'ses_stage.1', outcome: 'done' }])
    expect(stage.shown).toContain('close ses_stage.1.1')
    expect(stage.session.isIdle).toBe(true)
    expect(stage.errors).toEqual([])
  })

  test('the same words three times are said three times (R4)', async () => {
    await open()
    await turn('hello', ['◆ ok', '', '◆ ok', '', '◆ ok'])
    expect((await stage.messages()).join().match(/ok/g)).toHaveLength(3)
  })

  test('that was interrupted or failed says so in a last line', async () => {
    await open()
    await stage.paint(['▷ hello', '', THINKING, ''])
    await stage.paint([
      '▷ hello',
      '',
      '◆ Half of an answer',
      '',
      '◈ Stopped by you after 3s · what should I do instead?',
    ])
    expect(await stage.messages()).toEqual(['Half of an answer\n\n*Interrupted.*'])
    expect(await stage.events('turn.closed')).toMatchObject([{ outcome: 'interrupted' }])
  })

  test('that the agent did not live to end says so, and the session crashed', async () => {
    await open()
    await stage.paint(['▷ hello', '', '◆ Half of an answer', '', THINKING, ''])
    await stage.exit(137)
    expect(await stage.messages()).toEqual(['Half of an answer\n\n*The agent ended in the middle of this.*'])
    expect(await stage.events('turn.closed')).toMatchObject([{ outcome: 'exited' }])
  })
})

describe('what the agent writes down itself', () => {
  test('takes the place of what the screen showed, and nothing is there twice', async () => {
    await open({ agent: TRANSCRIPT })
    await stage.paint(['▷ hello', '', THINKING, ''])
    await stage.paint(['▷ hello', '', '◆ See the docs for more of this', '', THINKING, ''])
    await stage.hear({ is: 'said', id: 'm1', markdown: 'See the **docs** for [more](https://x.y) of this' })
    await stage.paint(['▷ hello', '', '◆ See the docs for more of this', '', DONE, ''])
    expect(await stage.messages()).toEqual(['See the **docs** for [more](https://x.y) of this'])
    expect(await stage.events('message.final')).toHaveLength(1)
  })

  test('is shown in the open message at once', async () => {
    await open({ agent: TRANSCRIPT })
    await stage.paint(['▷ hello', '', THINKING, ''])
    for (const part of ['See the', 'See the docs for', 'See the docs for more of this'])
      await stage.paint(['▷ hello', '', `◆ ${part}`, '', '◆ and', '', THINKING, ''], { passMs: 150 })
    await stage.hear({ is: 'said', id: 'm1', markdown: 'See the **docs** for more of this' })
    expect(stage.session.blocks).toMatchObject([{ source: 'transcript', runs: [{}, { text: 'docs', bold: true }, {}] }])
  })

  test('is waited for at the end of a turn, but not for longer than is set', async () => {
    await open({ agent: TRANSCRIPT, times: { transcriptWaitMs: 2_000 } })
    await stage.paint(['▷ hello', '', '◆ It says this and that', '', THINKING, ''])
    stage.session.output(
      new TextEncoder().encode(`\u001b[5;1H${DONE}\u001b[K`),
      (stage.clock.now() - 1_000_000) / 1000,
      stage.session.offset,
    )
    await stage.pass(1_500)
    expect(stage.session.phase).toBe('dormant')
    expect(stage.session.isIdle).toBe(false)
    expect(await stage.messages()).toEqual([])
    await stage.hear({ is: 'said', id: 'm1', markdown: 'It says *this* and that' })
    await stage.pass(50)
    expect(await stage.messages()).toEqual(['It says *this* and that'])
    expect(stage.session.isIdle).toBe(true)
  })

  test('that comes later betters the message for a minute', async () => {
    await open({ agent: TRANSCRIPT, times: { transcriptWaitMs: 100 } })
    await turn('hello', ['◆ It says this and that'])
    expect(await stage.messages()).toEqual(['It says this and that'])
    await stage.pass(30_000)
    await stage.hear({ is: 'said', id: 'm1', markdown: 'It says `this` and that' }, { at: stage.clock.now() - 30_000 })
    await stage.pass(50)
    expect(await stage.events('message.final')).toMatchObject([
      { message: 'ses_stage.1.1', markdown: 'It says this and that' },
      { message: 'ses_stage.1.1', markdown: 'It says `this` and that', revision: 1 },
    ])
    await stage.pass(40_000)
    await stage.hear({ is: 'said', id: 'm2', markdown: 'Too late' }, { at: stage.clock.now() - 70_000 })
    await stage.pass(50)
    expect(await stage.events('message.final')).toHaveLength(2)
  })

  test('brings back what scrolled away unseen (R15)', async () => {
    await open({ agent: TRANSCRIPT })
    await stage.paint(['▷ hello', '', THINKING, ''])
    await stage.hear({ is: 'said', id: 'm1', markdown: 'First part of it, long gone.' })
    await stage.hear({ is: 'said', id: 'm2', markdown: 'The part that is still there.' })
    await stage.paint(['▷ hello', '', '◆ The part that is still there.', '', DONE, ''])
    expect(await stage.messages()).toEqual(['First part of it, long gone.\n\nThe part that is still there.'])
  })

  test('about an older turn, or twice, changes nothing', async () => {
    await open({ agent: TRANSCRIPT, times: { transcriptWaitMs: 100 } })
    const rows = await turn('one', ['◆ The first answer is this one'])
    await stage.pass(2_000)
    const old = stage.clock.now() - 60_000
    await turn('two', ['◆ The second answer is another'], rows)
    await stage.hear({ is: 'said', id: 'old', markdown: 'From yesterday' }, { at: old })
    await stage.hear({ is: 'said', id: 'm2', markdown: 'The second answer is **another**' }, { id: 'same' })
    await stage.hear({ is: 'said', id: 'm2', markdown: 'The second answer is **another**' }, { id: 'same' })
    await stage.hear({ is: 'said', id: 'm2', markdown: 'The second answer is **another**' }, { id: 'other' })
    await stage.pass(50)
    expect(await stage.messages()).toEqual(['The first answer is this one', 'The second answer is **another**'])
    expect(await stage.events('message.final')).toHaveLength(3)
  })

  test('what a helper of the agent says is no part of the answer', async () => {
    await open({ agent: TRANSCRIPT, times: { transcriptWaitMs: 100 } })
    await stage.paint(['▷ hello', '', '◆ Mine', '', THINKING, ''])
    await stage.hear({ is: 'said', id: 's1', markdown: 'Said by a helper', subAgent: 'a1' })
    await stage.paint(['▷ hello', '', '◆ Mine', '', DONE, ''])
    expect(await stage.messages()).toEqual(['Mine'])
  })

  test('names the conversation, so that it can be resumed', async () => {
    await open()
    await stage.hear({ is: 'session', agentSession: 'abc-1', version: '2.0' }, { channel: 'hook' })
    await stage.hear({ is: 'session', agentSession: 'abc-1' })
    await stage.session.settled()
    expect(await stage.events('session.identified')).toEqual([
      { agentSessionId: 'abc-1', source: 'hook', agentVersion: '2.0' },
    ])
  })

  test('an interruption ends the turn when the screen does not say so', async () => {
    await open()
    await stage.paint(['▷ hello', '', '◆ Half', '', THINKING, ''])
    await stage.hear({ is: 'turn-ended', outcome: 'interrupted' })
    await stage.pass(900)
    expect(stage.session.phase).toBe('streaming')
    await stage.pass(200)
    expect(stage.session.phase).toBe('dormant')
    expect(await stage.events('turn.closed')).toMatchObject([{ outcome: 'interrupted' }])
  })
})

describe('rows that pass while nothing is awaited', () => {
  test('are a message of their own, once', async () => {
    await open()
    const rows = await turn('hello', ['◆ Hello there.'])
    const more = [...rows, '◆ A background command has completed with success.', '', '◈ Finished in 1s · 3 tokens', '']
    await stage.paint(more)
    expect(await stage.messages()).toEqual(['Hello there.'])
    await stage.pass(1_000)
    await stage.paint(more)
    expect(await stage.messages()).toEqual(['Hello there.', 'A background command has completed with success.'])
  })

  test('a hint that comes and goes is none', async () => {
    await open()
    const rows = await turn('hello', ['◆ Hello there.'])
    await stage.paint([...rows, '◆ Press ctrl-c again to exit.', '', '◈ Finished in 1s · 3 tokens'], { passMs: 700 })
    await stage.paint(rows)
    await stage.pass(5_000)
    expect(await stage.messages()).toEqual(['Hello there.'])
  })

  test('a prompt that is answered at once has its turn', async () => {
    await open()
    await stage.paint([' Signalbox demo agent 1.0.0'])
    await stage.paint(['▷ quick one', '', '◆ Done already.', '', DONE, ''])
    expect(await stage.messages()).toEqual(['Done already.'])
    expect(await stage.events('turn.closed')).toHaveLength((await stage.events('turn.opened')).length)
  })

  test('a greeting, a resize and a few characters are not', async () => {
    await open()
    await stage.paint([' Signalbox demo agent 1.0.0', '', '◆ Welcome to the demo of this agent.'])
    const rows = await turn('hello', ['◆ Hello there.'], ['', ''])
    await stage.paint([...rows, '◆ x', ''])
    const t = (stage.clock.now() - 1_000_000) / 1000
    stage.session.resized(60, 30, t)
    await stage.pass(400)
    await stage.paint(['', '', '▷ hello', '', '◆ Hello', '  there.', '', DONE, ''])
    expect(await stage.messages()).toEqual(['Hello there.'])
  })
})

describe('notices', () => {
  test('a session that never gets ready is reported with its screen, once', async () => {
    await open({ times: { readyTimeoutMs: 60_000 } })
    await stage.paint(['Loading the loader…'], { isGone: true })
    await stage.pass(50_000)
    expect(stage.notices).toEqual([])
    await stage.pass(200_000)
    expect(stage.notices).toMatchObject([{ kind: 'not-ready', rows: ['Loading the loader…'] }])
    expect(await stage.events('session.noticed')).toHaveLength(1)
  })

  test('one that is ready is not', async () => {
    await open({ times: { readyTimeoutMs: 60_000 } })
    await stage.paint(['hello'])
    await stage.pass(200_000)
    expect(stage.notices).toEqual([])
  })

  test('silence while it works is told once, with its age and last row', async () => {
    await open({ times: { silenceMs: 600_000 } })
    await stage.paint(['▷ hello', '', THINKING, ''])
    await stage.pass(590_000)
    expect(stage.notices).toEqual([])
    await stage.pass(1_300_000)
    expect(stage.notices).toMatchObject([{ kind: 'silence', text: expect.stringContaining('10 min') }])
    await stage.paint(['▷ hello', '', '◆ Something', '', THINKING, ''])
    await stage.pass(650_000)
    expect(stage.notices).toHaveLength(2)
  })

  test('silence at rest is none', async () => {
    await open({ times: { silenceMs: 600_000 } })
    await turn('hello', ['◆ Hello there.'])
    await stage.pass(2_000_000)
    expect(stage.notices).toEqual([])
  })

  test('a crash is told with its exit code, the last five rows, and how to go on', async () => {
    await open({ agent: TRANSCRIPT, record: { agentSessionId: 'abc' } })
    await stage.paint(['one', 'two', 'three', 'four', 'five', 'six'], { isGone: true })
    await stage.exit(137)
    expect(stage.notices).toEqual([
      {
        kind: 'crash',
        text: 'Session 2 crashed (exit 137). To go on: signalbox resume 2',
        rows: ['two', 'three', 'four', 'five', 'six'],
      },
    ])
    expect(await stage.events('session.ended')).toMatchObject([{ reason: 'crashed' }])
  })

  test('an end that was asked for is no crash', async () => {
    await open()
    await stage.paint(['hello'])
    stage.session.willEnd('stopped')
    await stage.exit(null, 'SIGKILL')
    expect(stage.notices).toEqual([])
    expect(await stage.events('session.ended')).toMatchObject([{ reason: 'stopped' }])
  })
})

describe('a sign-in', () => {
  const AUTH = ['✗ 401 · Not signed in · run /login']
  const asks = (toml: string) =>
    `${toml}\n[[rule]]\nid = "auth"\nview = "auth_required"\npriority = 900\nregion = "screen"\nline = 'Not signed in · run (?<url>\\S+)'\nawaiting = "auth"\nbusy = false\n`

  test('is told once while it lasts, and ends the session that nobody attends', async () => {
    await open({ pack: asks, times: { authGraceMs: 60_000 } })
    await stage.paint(AUTH, { isGone: true })
    await stage.paint([...AUTH, ''], { isGone: true })
    expect(stage.notices).toMatchObject([{ kind: 'auth', text: expect.stringContaining('signalbox attach 2') }])
    await stage.pass(50_000)
    expect(stage.signals).toEqual([])
    await stage.pass(30_000)
    expect(stage.signals[0]).toBe('SIGTERM')
    await stage.exit(null, 'SIGTERM')
    expect(await stage.events('session.ended')).toMatchObject([{ reason: 'nobody signed in' }])
    expect(stage.notices).toHaveLength(1)
  })

  test('that someone looks at does not, until they have been gone for long enough', async () => {
    await open({ pack: asks, times: { authGraceMs: 60_000 } })
    const ignore = () => undefined
    const leave = stage.session.watch({ output: ignore, resized: ignore, exited: ignore })
    await stage.paint(AUTH, { isGone: true })
    await stage.pass(100_000)
    leave()
    await stage.pass(50_000)
    expect(stage.signals).toEqual([])
    await stage.pass(30_000)
    expect(stage.signals).toContain('SIGTERM')
  })

  test('with an input box on screen keeps the session, and is told again when it comes again', async () => {
    await open({ pack: asks, times: { authGraceMs: 60_000 } })
    await stage.paint(AUTH)
    await stage.pass(100_000)
    expect(stage.signals).toEqual([])
    await stage.paint(['signed in'])
    await stage.paint(AUTH)
    expect(stage.notices).toHaveLength(2)
  })
})

describe('before the first prompt', () => {
  test('a hint that is drawn late is part of the greeting, and opens no turn', async () => {
    await open()
    await stage.paint([])
    await stage.pass(2_000)
    await stage.paint(['◆ Tip: there is a newer model.'])
    await stage.pass(3_000)
    expect(await stage.events('turn.opened')).toEqual([])
    await stage.session.type(new TextEncoder().encode('\r'))
    await turn('hello', ['◆ Hello.'], ['◆ Tip: there is a newer model.', ''])
    expect(await stage.messages()).toEqual(['Hello.'])
  })

  test('a menu that only passes while the program draws itself asks nothing, however it is drawn again meanwhile', async () => {
    await open()
    await stage.paint(MENU, { isGone: true, passMs: 150 })
    await stage.paint([' Signalbox demo agent 1.0.0'], { passMs: 100 })
    await stage.paint(MENU, { isGone: true, passMs: 150 })
    await stage.paint([' Signalbox demo agent 1.0.0'])
    await stage.pass(3_000)
    expect(stage.shown.filter(line => line.startsWith('ask'))).toEqual([])
    expect(await stage.events('session.phase')).toEqual([])
    await turn('hello', ['◆ Hello.'])
    expect(await stage.messages()).toEqual(['Hello.'])
  })

  test('one that stands is asked, although nothing more is drawn', async () => {
    await open()
    await stage.paint(MENU, { isGone: true, passMs: 250 })
    expect(stage.shown).toEqual([])
    await stage.pass(450)
    expect(stage.shown.filter(line => line.startsWith('ask'))).toEqual(['ask apr'])
  })

  test('after it a menu is asked at sight', async () => {
    await open()
    await stage.paint([])
    await stage.session.type(new TextEncoder().encode('\r'))
    await stage.paint(['▷ hello', '', ...MENU], { isGone: true, passMs: 250 })
    expect(stage.shown.filter(line => line.startsWith('ask'))).toEqual(['ask apr'])
  })
})

describe('a menu with an option that takes a text', () => {
  const menuWith = (last: string, isSelected: boolean) => [
    ...['▷ hello', '', ...MENU.slice(0, 4)],
    ` ${isSelected ? ' ' : '▸'} 1. Yes, this once`,
    '   2. No',
    ` ${isSelected ? '▸' : ' '} 3. ${last}`,
    ...MENU.slice(6),
  ]

  test('is the same request while something is written into it', async () => {
    await open()
    await stage.paint([])
    await stage.session.type(new TextEncoder().encode('\r'))
    await stage.paint(menuWith('No, and tell the agent what to do instead', false), { isGone: true })
    for (const written of ['u', 'use the other', 'use the other branch']) {
      await stage.paint(menuWith(written, true), { isGone: true, passMs: 0 })
      await stage.print(`\u001b[9;${7 + written.length}H\u001b[?25h`)
    }
    expect(stage.shown.filter(line => /^(?:ask|settle)/.test(line))).toEqual(['ask apr'])
  })

  test('a denial with a note is written into it, and the ledger says how the note went', async () => {
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

describe('a resumed session', () => {
  const RESUMED = { record: { resumedFrom: 'ses_old' } }
  const HISTORY = ['▷ old prompt', '', '◆ Old answer that was said before.', '', DONE, '']
  test('does not say again what is shown again, nor ask what flashes by (R20)', async () => {
    await open(RESUMED)
    await stage.paint([...HISTORY.slice(0, 4), THINKING], { isGone: true })
    stage.session.output(
      new TextEncoder().encode(`\u001b[H\u001b[J${[...HISTORY.slice(0, 2), ...MENU].join('\r\n')}`),
      (stage.clock.now() - 1_000_000) / 1000,
      stage.session.offset,
    )
    await stage.pass(600)
    await stage.paint(HISTORY)
    await stage.paint(HISTORY)
    expect(await stage.messages()).toEqual([])
    expect(await stage.events('turn.opened')).toEqual([])
    expect(stage.shown.filter(line => line.startsWith('ask'))).toEqual([])
    await stage.session.type(new TextEncoder().encode('\r'))
    await turn('new prompt', ['◆ New answer.'], HISTORY)
    expect(await stage.messages()).toEqual(['New answer.'])
  })

  test('does not say again what is drawn after its input box, at work or at rest', async () => {
    await open(RESUMED)
    await stage.paint([])
    await stage.pass(3_000)
    expect(await stage.events('session.ready')).toHaveLength(1)
    await stage.paint(['▷ old prompt', '', '◆ Old answer', THINKING])
    await stage.paint(HISTORY)
    await stage.pass(3_000)
    expect(await stage.events('turn.opened')).toEqual([])
    await stage.session.type(new TextEncoder().encode('\r'))
    await turn('new prompt', ['◆ New answer.'], HISTORY)
    expect(await stage.messages()).toEqual(['New answer.'])
    expect(await stage.events('session.ready')).toHaveLength(1)
  })

  test('asks a menu that waits', async () => {
    await open(RESUMED)
    await stage.paint([...HISTORY.slice(0, 2), ...MENU], { isGone: true })
    await stage.pass(1_500)
    expect(stage.shown.filter(line => line.startsWith('ask'))).toEqual(['ask apr'])
  })
})

describe('prompts while the agent works', () => {
  const cannotQueue = (toml: string) => toml.replace('queue = true', 'queue = false')
  const busy = ['▷ first', '', THINKING, '']

  test('are held where the agent cannot queue, and go out when it rests', async () => {
    await open({ pack: cannotQueue })
    await stage.paint(busy)
    const sent = stage.session.send('second')
    await stage.pass(100)
    expect(await sent).toMatchObject({ result: 'held', prompt: expect.stringMatching(/^msg_/) })
    await stage.pass(5_000)
    expect(stage.keys).toEqual([])
    expect((await SessionJournal.open(stage.store, 'ses_stage')).held).toMatchObject([{ text: 'second' }])
    const done = ['▷ first', '', '◆ The first answer.', '', DONE, '']
    await stage.paint(done)
    expect(stage.keys).toEqual(['second'])
    await stage.paint(done, { draft: 'second' })
    expect(stage.keys).toEqual(['second', '\r'])
    await stage.paint([...done, '▷ second', '', THINKING, ''])
    expect(await stage.events('prompt.released')).toMatchObject([{ result: 'delivered' }])
    expect((await SessionJournal.open(stage.store, 'ses_stage')).held).toEqual([])
    expect(stage.session.heldPrompts).toEqual([])
  })

  test('can be taken back while they are held, and refused instead of held', async () => {
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

  test('that the agent queued have a turn of their own', async () => {
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

describe('a host that takes over', () => {
  test('reads the same bytes into the same turns, writes nothing twice, and shows nothing again', async () => {
    await open()
    await stage.paint([' Signalbox demo agent 1.0.0'])
    const first = await turn('hello', ['◆ The first answer.'])
    const second = ['▷ second', '', '◆ The second answer.', '', '◈ Finished in 1s · 2 tokens', '']
    await stage.paint([...first, '▷ next one', '', THINKING, ''])
    await stage.paint([...first, '▷ next one', '', '◆ Half of it', '', DONE, '', ...second.slice(0, 2), THINKING, ''])
    const rows = [...first, '▷ next one', '', '◆ Half of it', '', DONE, '', ...second]
    await stage.paint(rows)
    await stage.paint([...rows, '◆ Something that came by itself.', '', '◈ Finished in 2s · 1 tokens', ''])
    await stage.pass(2_000)
    const before = await stage.store.readStream('session/ses_stage')
    expect(await stage.messages()).toEqual([
      'The first answer.',
      'Half of it',
      'The second answer.',
      'Something that came by itself.',
    ])
    stage = await stage.takenOver()
    expect(await stage.store.readStream('session/ses_stage')).toEqual(before)
    expect(stage.shown).toEqual([])
    expect(stage.keys).toEqual([])
    expect(stage.session.isIdle).toBe(true)
  })
})

describe('the last words', () => {
  test('name the conversation where nothing did before, and only if they were drawn at the end', async () => {
    const exitId = (rows: readonly string[]) =>
      rows.map(row => /--resume (\S+)/.exec(row)?.[1]).find(id => id !== undefined) ?? null
    await open({ agent: { ...TRANSCRIPT, exitId } })
    await stage.paint(['▷ hello', '', '◆ Run agent --resume quoted to go on', '', DONE, ''])
    await stage.paint(
      ['▷ hello', '', '◆ Run agent --resume quoted to go on', '', DONE, '', '  agent --resume real-id'],
      { isGone: true },
    )
    await stage.exit(0)
    expect(await stage.events('session.identified')).toEqual([{ agentSessionId: 'real-id', source: 'exit screen' }])
  })
})

describe('the keyboard', () => {
  const person = (id: string, told: string[] = []) => ({
    id,
    name: id,
    held: (by: { kind: string; name?: string }) => void told.push(`${id}: ${by.name ?? by.kind}`),
  })
  const bytes = (text: string) => new TextEncoder().encode(text)

  test('is held by one, whose size counts; another takes it over, and all are told', async () => {
    await open()
    const told: string[] = []
    const leave = stage.session.join(person('ann', told))
    stage.session.join(person('bob', told))
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
    expect(told).toEqual(['ann: ann', 'bob: ann', 'ann: bob', 'bob: bob'])
  })

  test('belongs to nobody else while a prompt is typed', async () => {
    await open()
    await stage.paint(['hello'])
    const told: string[] = []
    stage.session.join(person('ann', told))
    const sending = stage.session.send('a prompt')
    await stage.pass(100)
    expect(await stage.session.type(bytes('x'), 'ann')).toBe(false)
    await stage.pass(20_000)
    expect(await sending).toMatchObject({ result: 'unconfirmed' })
    expect(await stage.session.type(bytes('x'), 'ann')).toBe(true)
    expect(told).toEqual(['ann: ann', 'ann: signalbox', 'ann: ann'])
  })
})
