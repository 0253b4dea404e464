import { afterEach, describe, expect, test } from 'vitest'
import { DONE, MENU, paintTurn, THINKING, TRANSCRIPT } from '../testing/demo-screens.js'
import { SessionFixture, type SessionFixtureOptions, screenBytes } from '../testing/session-fixture.js'
import type { SessionSnapshot } from './session-options.js'

let fixture: SessionFixture
afterEach(() => fixture.close())

async function open(options: SessionFixtureOptions = {}): Promise<void> {
  fixture = await SessionFixture.open(options)
  fixture.session.goLive()
}

describe('notices of a session', () => {
  test('a session that never becomes ready is reported once, with its screen', async () => {
    await open({ times: { readyTimeoutMs: 60_000 } })
    await fixture.paint(['Loading the loader…'], { isGone: true })
    await fixture.pass(50_000)
    expect(await fixture.notices()).toEqual([])
    await fixture.pass(200_000)
    expect(await fixture.notices()).toMatchObject([{ kind: 'not-ready', rows: ['Loading the loader…'] }])
    expect(await fixture.events('session.noticed')).toHaveLength(1)
  })

  test('a session is as old as its program, also if the log has the time of another clock', async () => {
    await open({ record: { startedAt: 400_000 }, startedAt: 1_000_000, times: { readyTimeoutMs: 60_000 } })
    await fixture.paint(['Loading the loader…'], { isGone: true })
    await fixture.pass(50_000)
    expect(await fixture.notices()).toEqual([])
  })

  test('a session that becomes ready is not reported', async () => {
    await open({ times: { readyTimeoutMs: 60_000 } })
    await fixture.paint(['hello'])
    await fixture.pass(200_000)
    expect(await fixture.notices()).toEqual([])
  })

  test('silence during work is reported once, with its duration and the last row', async () => {
    await open({ times: { silenceMs: 600_000 } })
    await fixture.paint(['▷ hello', '', THINKING, ''])
    await fixture.pass(590_000)
    expect(await fixture.notices()).toEqual([])
    await fixture.pass(1_300_000)
    expect(await fixture.notices()).toMatchObject([
      { kind: 'silence', text: expect.stringContaining('nothing new for 10 min.') },
    ])
    await fixture.paint(['▷ hello', '', '◆ Something', '', THINKING, ''])
    await fixture.pass(650_000)
    expect(await fixture.notices()).toHaveLength(2)
  })

  test('a spinner and a clock count as silence; a new row does not', async () => {
    await open({ times: { silenceMs: 600_000 } })
    const spin = async (minutes: number, rows: readonly string[] = []) => {
      for (let minute = 0; minute < minutes; minute++) {
        await fixture.paint(['▷ hello', '', ...rows, `${'◜◝◞◟'[minute % 4]} Thinking… ${minute}m 5s · 12 tokens`, ''])
        await fixture.pass(60_000)
      }
    }
    await spin(9)
    expect(await fixture.notices()).toEqual([])
    await spin(3)
    expect(await fixture.notices()).toMatchObject([{ kind: 'silence' }])
    await spin(9, ['◆ Something', ''])
    expect(await fixture.notices()).toHaveLength(1)
  })

  test('silence of an idle agent is not reported', async () => {
    await open({ times: { silenceMs: 600_000 } })
    await paintTurn(fixture, 'hello', ['◆ Hello there.'])
    await fixture.pass(2_000_000)
    expect(await fixture.notices()).toEqual([])
  })

  test('a crash is reported with its exit code, the last five rows and the command to resume', async () => {
    await open({ agent: TRANSCRIPT, record: { agentSessionId: 'abc' } })
    await fixture.paint(['one', 'two', 'three', 'four', 'five', 'six'], { isGone: true })
    await fixture.exit(137)
    expect(await fixture.notices()).toEqual([
      {
        kind: 'crash',
        text: 'Session 2 crashed (exit 137). To resume it: signalbox resume 2',
        rows: ['two', 'three', 'four', 'five', 'six'],
      },
    ])
    expect(await fixture.events('session.ended')).toMatchObject([{ reason: 'crashed' }])
  })

  test('an expected end is not a crash', async () => {
    await open()
    await fixture.paint(['hello'])
    fixture.session.willEnd('stopped')
    await fixture.exit(null, 'SIGKILL')
    expect(await fixture.notices()).toEqual([])
    expect(await fixture.events('session.ended')).toMatchObject([{ reason: 'stopped' }])
  })
})

describe('a sign-in', () => {
  const AUTH = ['✗ 401 · Not signed in · run /login']
  const asks = (toml: string) =>
    `${toml}\n[[rule]]\nid = "auth"\nview = "auth_required"\npriority = 900\nregion = "screen"\nline = 'Not signed in · run (?<url>\\S+)'\nawaiting = "auth"\nbusy = false\n`

  test('is reported once while it lasts, and ends an unattended session', async () => {
    await open({ pack: asks, times: { authGraceMs: 60_000 } })
    await fixture.paint(AUTH, { isGone: true })
    await fixture.paint([...AUTH, ''], { isGone: true })
    expect(await fixture.notices()).toMatchObject([
      { kind: 'auth', text: expect.stringContaining('signalbox attach 2') },
    ])
    await fixture.pass(50_000)
    expect(fixture.signals).toEqual([])
    await fixture.pass(30_000)
    expect(fixture.signals[0]).toBe('SIGTERM')
    await fixture.exit(null, 'SIGTERM')
    expect(await fixture.events('session.ended')).toMatchObject([{ reason: 'no person signed in' }])
    expect(await fixture.notices()).toHaveLength(1)
  })

  test('does not end a session while a person watches it, or shortly afterwards', async () => {
    await open({ pack: asks, times: { authGraceMs: 60_000 } })
    const ignore = () => undefined
    const leave = fixture.session.watch({ output: ignore, resized: ignore, exited: ignore })
    await fixture.paint(AUTH, { isGone: true })
    await fixture.pass(100_000)
    leave()
    await fixture.pass(50_000)
    expect(fixture.signals).toEqual([])
    await fixture.pass(30_000)
    expect(fixture.signals).toContain('SIGTERM')
  })

  test('keeps the session if an input box is on screen, and is reported when it appears again', async () => {
    await open({ pack: asks, times: { authGraceMs: 60_000 } })
    await fixture.paint(AUTH)
    await fixture.pass(100_000)
    expect(fixture.signals).toEqual([])
    await fixture.paint(['signed in'])
    await fixture.paint(AUTH)
    expect(await fixture.notices()).toHaveLength(2)
  })
})

describe('a session before its first prompt', () => {
  test('reads a late hint as part of the greeting and opens no turn', async () => {
    await open()
    await fixture.paint([])
    await fixture.pass(2_000)
    await fixture.paint(['◆ Tip: there is a newer model.'])
    await fixture.pass(3_000)
    expect(await fixture.events('turn.opened')).toEqual([])
    await fixture.session.type(new TextEncoder().encode('\r'))
    await paintTurn(fixture, 'hello', ['◆ Hello.'], ['◆ Tip: there is a newer model.', ''])
    expect(await fixture.messages()).toEqual(['Hello.'])
  })

  test('raises no request for a menu that appears only while the first screen is drawn', async () => {
    await open()
    await fixture.paint(MENU, { isGone: true, passMs: 150 })
    await fixture.paint([' Signalbox demo agent 1.0.0'], { passMs: 100 })
    await fixture.paint(MENU, { isGone: true, passMs: 150 })
    await fixture.paint([' Signalbox demo agent 1.0.0'])
    await fixture.pass(3_000)
    expect(await fixture.written('approval.requested')).toEqual([])
    expect(await fixture.events('session.phase')).toEqual([])
    await paintTurn(fixture, 'hello', ['◆ Hello.'])
    expect(await fixture.messages()).toEqual(['Hello.'])
  })

  test('raises a menu that stays, although the program draws nothing more', async () => {
    await open()
    await fixture.paint(MENU, { isGone: true, passMs: 250 })
    expect(await fixture.written('approval.requested')).toEqual([])
    await fixture.pass(450)
    expect(await fixture.written('approval.requested')).toHaveLength(1)
  })

  test('raises a menu at once after the first prompt', async () => {
    await open()
    await fixture.paint([])
    await fixture.session.type(new TextEncoder().encode('\r'))
    await fixture.paint(['▷ hello', '', ...MENU], { isGone: true, passMs: 250 })
    expect(await fixture.written('approval.requested')).toHaveLength(1)
  })
})

describe('a resumed session', () => {
  const RESUMED = { record: { resumedFrom: 'ses_old' } }
  const HISTORY = ['▷ old prompt', '', '◆ Old answer that was said before.', '', DONE, '']
  test('does not repeat its history, and raises no request for a menu that appears briefly', async () => {
    await open(RESUMED)
    await fixture.paint([...HISTORY.slice(0, 4), THINKING], { isGone: true })
    fixture.session.output(
      new TextEncoder().encode(`\u001b[H\u001b[J${[...HISTORY.slice(0, 2), ...MENU].join('\r\n')}`),
      (fixture.clock.now() - 1_000_000) / 1000,
      fixture.session.offset,
    )
    await fixture.pass(600)
    await fixture.paint(HISTORY)
    await fixture.paint(HISTORY)
    expect(await fixture.messages()).toEqual([])
    expect(await fixture.events('turn.opened')).toEqual([])
    expect(await fixture.written('approval.requested')).toEqual([])
    await fixture.session.type(new TextEncoder().encode('\r'))
    await paintTurn(fixture, 'new prompt', ['◆ New answer.'], HISTORY)
    expect(await fixture.messages()).toEqual(['New answer.'])
  })

  test('does not repeat history that is drawn after its input box', async () => {
    await open(RESUMED)
    await fixture.paint([])
    await fixture.pass(3_000)
    expect(await fixture.events('session.ready')).toHaveLength(1)
    await fixture.paint(['▷ old prompt', '', '◆ Old answer', THINKING])
    await fixture.paint(HISTORY)
    await fixture.pass(3_000)
    expect(await fixture.events('turn.opened')).toEqual([])
    await fixture.session.type(new TextEncoder().encode('\r'))
    await paintTurn(fixture, 'new prompt', ['◆ New answer.'], HISTORY)
    expect(await fixture.messages()).toEqual(['New answer.'])
    expect(await fixture.events('session.ready')).toHaveLength(1)
  })

  test('raises the request of a menu that stays', async () => {
    await open(RESUMED)
    await fixture.paint([...HISTORY.slice(0, 2), ...MENU], { isGone: true })
    await fixture.pass(1_500)
    expect(await fixture.written('approval.requested')).toHaveLength(1)
  })
})

describe('a host that takes over', () => {
  test('reads the same bytes into the same turns, and writes or sends nothing twice', async () => {
    await open()
    await fixture.paint([' Signalbox demo agent 1.0.0'])
    const first = await paintTurn(fixture, 'hello', ['◆ The first answer.'])
    const second = ['▷ second', '', '◆ The second answer.', '', '◈ Finished in 1s · 2 tokens', '']
    await fixture.paint([...first, '▷ next one', '', THINKING, ''])
    await fixture.paint([...first, '▷ next one', '', '◆ Half of it', '', DONE, '', ...second.slice(0, 2), THINKING, ''])
    const rows = [...first, '▷ next one', '', '◆ Half of it', '', DONE, '', ...second]
    await fixture.paint(rows)
    await fixture.paint([...rows, '◆ Something that came by itself.', '', '◈ Finished in 2s · 1 tokens', ''])
    await fixture.pass(2_000)
    const before = await fixture.store.readStream('session/ses_stage')
    expect(await fixture.messages()).toEqual([
      'The first answer.',
      'Half of it',
      'The second answer.',
      'Something that came by itself.',
    ])
    fixture = await fixture.takenOver()
    expect(await fixture.store.readStream('session/ses_stage')).toEqual(before)
    expect(fixture.updates).toEqual([])
    expect(fixture.keys).toEqual([])
    expect(fixture.session.isIdle).toBe(true)
  })

  test('detects an idle agent from a snapshot that no byte has followed', async () => {
    await open()
    await fixture.paint([' Signalbox demo agent 1.0.0'])
    const first = await paintTurn(fixture, 'hello', ['◆ The first answer.'])
    await fixture.pass(2_000)
    const before = await fixture.store.readStream('session/ses_stage')
    fixture = await fixture.takenOver({ snapshot: await snapshotOf(fixture) })
    expect(await fixture.store.readStream('session/ses_stage')).toEqual(before)
    expect([fixture.session.isIdle, fixture.session.observation?.composer !== null]).toEqual([true, true])
    await paintTurn(fixture, 'again', ['◆ The second answer.'], first)
    expect(await fixture.messages()).toEqual(['The first answer.', 'The second answer.'])
    expect((await fixture.written('message.final')).map(({ data }) => data.message)).toEqual(['ses_stage.2.1'])
  })

  test('raises no second request from a snapshot with a menu', async () => {
    await open()
    await fixture.paint([' Signalbox demo agent 1.0.0'])
    await fixture.paint(['▷ hello', '', ...MENU], { isGone: true })
    await fixture.pass(2_000)
    expect(await fixture.written('approval.requested')).toHaveLength(1)
    fixture = await fixture.takenOver({ snapshot: await snapshotOf(fixture) })
    expect([fixture.session.phase, fixture.session.approval?.state]).toEqual(['tool-pending', 'pending'])
    expect(await fixture.written('approval.requested')).toEqual([])
  })

  const APPROVALS = ['approval.requested', 'approval.stale', 'approval.applied'] as const

  test('keeps the request of a menu that is first on the screen', async () => {
    await open()
    await fixture.paint(MENU, { isGone: true })
    const asked = fixture.session.approval
    expect(asked?.state).toBe('pending')
    fixture = await fixture.takenOver()
    expect(fixture.session.approval).toMatchObject({ id: asked!.id, state: 'pending' })
    expect(await fixture.written(...APPROVALS)).toEqual([])
  })

  test('keeps the request of a menu that was drawn in two parts', async () => {
    await open()
    await fixture.paint([' Signalbox demo agent 1.0.0'])
    await fixture.paint(['▷ hello', '', THINKING, ''])
    const bytes = screenBytes(['▷ hello', '', ...MENU], { isGone: true })
    const half = bytes.indexOf('2. No') + '2. N'.length
    await fixture.print(`\u001b[?2026h${bytes.slice(0, half)}`, 530)
    await fixture.print(`${bytes.slice(half)}\u001b[?2026l`, 5_000)
    const asked = fixture.session.approval
    expect(asked?.state).toBe('pending')
    fixture = await fixture.takenOver()
    expect(fixture.session.approval).toMatchObject({ id: asked!.id, state: 'pending' })
    expect(await fixture.written(...APPROVALS)).toEqual([])
  })

  test('does not read a screen that is being drawn as one without the menu', async () => {
    await open()
    await fixture.paint([' Signalbox demo agent 1.0.0'])
    await fixture.paint(['▷ hello', '', THINKING, ''])
    await fixture.paint(['▷ hello', '', ...MENU], { isGone: true })
    const asked = fixture.session.approval
    await fixture.print('\u001b[?2026h\u001b[H\u001b[J', 600)
    fixture = await fixture.takenOver({}, 500)
    expect(fixture.session.approval).toMatchObject({ id: asked!.id, state: 'pending' })
    await fixture.print(`${screenBytes(['▷ hello', '', ...MENU], { isGone: true })}\u001b[?2026l`, 3_000)
    expect(fixture.session.approval).toMatchObject({ id: asked!.id, state: 'pending' })
    expect(await fixture.written(...APPROVALS)).toEqual([])
  })

  test('ends the request of a menu that disappeared when idle has settled', async () => {
    await open()
    await fixture.paint([' Signalbox demo agent 1.0.0'])
    await fixture.paint(['▷ hello', '', THINKING, ''])
    await fixture.paint(['▷ hello', '', ...MENU], { isGone: true })
    expect(fixture.session.approval?.state).toBe('pending')
    fixture.session.replace()
    await fixture.paint(['▷ hello', '', '◆ Declined.', '', DONE, ''], { passMs: 10 })
    fixture = await fixture.takenOver()
    expect(fixture.session.approval).toBeNull()
    expect((await fixture.written(...APPROVALS)).map(({ type }) => type)).toEqual(['approval.stale'])
    expect(fixture.session.isIdle).toBe(true)
  })
})

function snapshotOf({ session }: SessionFixture): Promise<SessionSnapshot> {
  return new Promise((resolve, reject) => session.snapshot(snapshot => resolve(structuredClone(snapshot)), reject))
}

describe('the screen at the exit of an agent', () => {
  test('gives the conversation id if no other source did', async () => {
    const exitId = (rows: readonly string[]) =>
      rows.map(row => /--resume (\S+)/.exec(row)?.[1]).find(id => id !== undefined) ?? null
    await open({ agent: { ...TRANSCRIPT, exitId } })
    await fixture.paint(['▷ hello', '', '◆ Run agent --resume quoted to go on', '', DONE, ''])
    await fixture.paint(
      ['▷ hello', '', '◆ Run agent --resume quoted to go on', '', DONE, '', '  agent --resume real-id'],
      { isGone: true },
    )
    await fixture.exit(0)
    expect(await fixture.events('session.identified')).toEqual([{ agentSessionId: 'real-id', source: 'exit screen' }])
  })
})
