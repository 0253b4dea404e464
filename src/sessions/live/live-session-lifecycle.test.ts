import { afterEach, describe, expect, test } from 'vitest'
import { DONE, MENU, paintTurn, THINKING, TRANSCRIPT } from '../testing/demo-screens.js'
import { SessionFixture, type SessionFixtureOptions } from '../testing/session-stage.js'

let stage: SessionFixture
afterEach(() => stage.close())

async function open(options: SessionFixtureOptions = {}): Promise<void> {
  stage = await SessionFixture.open(options)
  stage.session.goLive()
}

describe('notices', () => {
  test('a session that never gets ready is reported once, with its screen', async () => {
    await open({ times: { readyTimeoutMs: 60_000 } })
    await stage.paint(['Loading the loader…'], { isGone: true })
    await stage.pass(50_000)
    expect(await stage.notices()).toEqual([])
    await stage.pass(200_000)
    expect(await stage.notices()).toMatchObject([{ kind: 'not-ready', rows: ['Loading the loader…'] }])
    expect(await stage.events('session.noticed')).toHaveLength(1)
  })

  test('a session that is ready is not reported', async () => {
    await open({ times: { readyTimeoutMs: 60_000 } })
    await stage.paint(['hello'])
    await stage.pass(200_000)
    expect(await stage.notices()).toEqual([])
  })

  test('silence while the agent works is reported once, with its age and last row', async () => {
    await open({ times: { silenceMs: 600_000 } })
    await stage.paint(['▷ hello', '', THINKING, ''])
    await stage.pass(590_000)
    expect(await stage.notices()).toEqual([])
    await stage.pass(1_300_000)
    expect(await stage.notices()).toMatchObject([{ kind: 'silence', text: expect.stringContaining('10 min') }])
    await stage.paint(['▷ hello', '', '◆ Something', '', THINKING, ''])
    await stage.pass(650_000)
    expect(await stage.notices()).toHaveLength(2)
  })

  test('silence at rest is not reported', async () => {
    await open({ times: { silenceMs: 600_000 } })
    await paintTurn(stage, 'hello', ['◆ Hello there.'])
    await stage.pass(2_000_000)
    expect(await stage.notices()).toEqual([])
  })

  test('a crash is reported with its exit code, the last five rows and how to resume', async () => {
    await open({ agent: TRANSCRIPT, record: { agentSessionId: 'abc' } })
    await stage.paint(['one', 'two', 'three', 'four', 'five', 'six'], { isGone: true })
    await stage.exit(137)
    expect(await stage.notices()).toEqual([
      {
        kind: 'crash',
        text: 'Session 2 crashed (exit 137). To resume it: signalbox resume 2',
        rows: ['two', 'three', 'four', 'five', 'six'],
      },
    ])
    expect(await stage.events('session.ended')).toMatchObject([{ reason: 'crashed' }])
  })

  test('an expected end is not a crash', async () => {
    await open()
    await stage.paint(['hello'])
    stage.session.willEnd('stopped')
    await stage.exit(null, 'SIGKILL')
    expect(await stage.notices()).toEqual([])
    expect(await stage.events('session.ended')).toMatchObject([{ reason: 'stopped' }])
  })
})

describe('a sign-in', () => {
  const AUTH = ['✗ 401 · Not signed in · run /login']
  const asks = (toml: string) =>
    `${toml}\n[[rule]]\nid = "auth"\nview = "auth_required"\npriority = 900\nregion = "screen"\nline = 'Not signed in · run (?<url>\\S+)'\nawaiting = "auth"\nbusy = false\n`

  test('is reported once while it lasts, and ends an unattended session', async () => {
    await open({ pack: asks, times: { authGraceMs: 60_000 } })
    await stage.paint(AUTH, { isGone: true })
    await stage.paint([...AUTH, ''], { isGone: true })
    expect(await stage.notices()).toMatchObject([{ kind: 'auth', text: expect.stringContaining('signalbox attach 2') }])
    await stage.pass(50_000)
    expect(stage.signals).toEqual([])
    await stage.pass(30_000)
    expect(stage.signals[0]).toBe('SIGTERM')
    await stage.exit(null, 'SIGTERM')
    expect(await stage.events('session.ended')).toMatchObject([{ reason: 'nobody signed in' }])
    expect(await stage.notices()).toHaveLength(1)
  })

  test('does not end a session while a person watches it, or shortly after', async () => {
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

  test('with an input box on screen keeps the session, and is reported again when it comes again', async () => {
    await open({ pack: asks, times: { authGraceMs: 60_000 } })
    await stage.paint(AUTH)
    await stage.pass(100_000)
    expect(stage.signals).toEqual([])
    await stage.paint(['signed in'])
    await stage.paint(AUTH)
    expect(await stage.notices()).toHaveLength(2)
  })
})

describe('before the first prompt', () => {
  test('a late hint is part of the greeting and opens no turn', async () => {
    await open()
    await stage.paint([])
    await stage.pass(2_000)
    await stage.paint(['◆ Tip: there is a newer model.'])
    await stage.pass(3_000)
    expect(await stage.events('turn.opened')).toEqual([])
    await stage.session.type(new TextEncoder().encode('\r'))
    await paintTurn(stage, 'hello', ['◆ Hello.'], ['◆ Tip: there is a newer model.', ''])
    expect(await stage.messages()).toEqual(['Hello.'])
  })

  test('a menu that appears only while the program draws its first screen raises no request', async () => {
    await open()
    await stage.paint(MENU, { isGone: true, passMs: 150 })
    await stage.paint([' Signalbox demo agent 1.0.0'], { passMs: 100 })
    await stage.paint(MENU, { isGone: true, passMs: 150 })
    await stage.paint([' Signalbox demo agent 1.0.0'])
    await stage.pass(3_000)
    expect(await stage.written('approval.requested')).toEqual([])
    expect(await stage.events('session.phase')).toEqual([])
    await paintTurn(stage, 'hello', ['◆ Hello.'])
    expect(await stage.messages()).toEqual(['Hello.'])
  })

  test('a menu that stays is raised, although nothing more is drawn', async () => {
    await open()
    await stage.paint(MENU, { isGone: true, passMs: 250 })
    expect(await stage.written('approval.requested')).toEqual([])
    await stage.pass(450)
    expect(await stage.written('approval.requested')).toHaveLength(1)
  })

  test('after the first prompt a menu is raised at once', async () => {
    await open()
    await stage.paint([])
    await stage.session.type(new TextEncoder().encode('\r'))
    await stage.paint(['▷ hello', '', ...MENU], { isGone: true, passMs: 250 })
    expect(await stage.written('approval.requested')).toHaveLength(1)
  })
})

describe('a resumed session', () => {
  const RESUMED = { record: { resumedFrom: 'ses_old' } }
  const HISTORY = ['▷ old prompt', '', '◆ Old answer that was said before.', '', DONE, '']
  test('does not repeat its history, and raises no request for a menu that flashes by', async () => {
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
    expect(await stage.written('approval.requested')).toEqual([])
    await stage.session.type(new TextEncoder().encode('\r'))
    await paintTurn(stage, 'new prompt', ['◆ New answer.'], HISTORY)
    expect(await stage.messages()).toEqual(['New answer.'])
  })

  test('does not repeat history that is drawn after its input box', async () => {
    await open(RESUMED)
    await stage.paint([])
    await stage.pass(3_000)
    expect(await stage.events('session.ready')).toHaveLength(1)
    await stage.paint(['▷ old prompt', '', '◆ Old answer', THINKING])
    await stage.paint(HISTORY)
    await stage.pass(3_000)
    expect(await stage.events('turn.opened')).toEqual([])
    await stage.session.type(new TextEncoder().encode('\r'))
    await paintTurn(stage, 'new prompt', ['◆ New answer.'], HISTORY)
    expect(await stage.messages()).toEqual(['New answer.'])
    expect(await stage.events('session.ready')).toHaveLength(1)
  })

  test('raises a menu that stays', async () => {
    await open(RESUMED)
    await stage.paint([...HISTORY.slice(0, 2), ...MENU], { isGone: true })
    await stage.pass(1_500)
    expect(await stage.written('approval.requested')).toHaveLength(1)
  })
})

describe('a host that takes over', () => {
  test('reads the same bytes into the same turns, writes nothing twice and emits nothing', async () => {
    await open()
    await stage.paint([' Signalbox demo agent 1.0.0'])
    const first = await paintTurn(stage, 'hello', ['◆ The first answer.'])
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
    expect(stage.updates).toEqual([])
    expect(stage.keys).toEqual([])
    expect(stage.session.isIdle).toBe(true)
  })

  test('sees the agent at rest from a snapshot that no byte has followed', async () => {
    await open()
    await stage.paint([' Signalbox demo agent 1.0.0'])
    const first = await paintTurn(stage, 'hello', ['◆ The first answer.'])
    await stage.pass(2_000)
    const before = await stage.store.readStream('session/ses_stage')
    stage = await stage.takenOver({ snapshot: structuredClone(stage.session.snapshot()) })
    expect(await stage.store.readStream('session/ses_stage')).toEqual(before)
    expect([stage.session.isIdle, stage.session.observation?.composer !== null]).toEqual([true, true])
    await paintTurn(stage, 'again', ['◆ The second answer.'], first)
    expect(await stage.messages()).toEqual(['The first answer.', 'The second answer.'])
    expect((await stage.written('message.final')).map(({ data }) => data.message)).toEqual(['ses_stage.2.1'])
  })

  test('raises no second request from a snapshot with a menu', async () => {
    await open()
    await stage.paint([' Signalbox demo agent 1.0.0'])
    await stage.paint(['▷ hello', '', ...MENU], { isGone: true })
    await stage.pass(2_000)
    expect(await stage.written('approval.requested')).toHaveLength(1)
    stage = await stage.takenOver({ snapshot: structuredClone(stage.session.snapshot()) })
    expect([stage.session.phase, stage.session.approval?.state]).toEqual(['tool-pending', 'pending'])
    expect(await stage.written('approval.requested')).toEqual([])
  })
})

describe('the exit screen', () => {
  test('identifies the conversation if nothing else did, by rows drawn at the end', async () => {
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
