import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { everyPair } from '../machine/index.js'
import { applySignal, eventOfClaim, INITIAL_STATUS, type StatusSignal, type StatusState } from './status.js'
import { type PaneStatus, type StatusEvent, statusTable } from './status-table.js'
import { StatusTracker } from './status-tracker.js'
import { statusAfter } from './testing/status-after.js'

/**
 * A state in which every guard holds: another source without a rank started the work, the wait was
 * guessed.
 */
const stateIn = (status: PaneStatus, more: Partial<StatusState> = {}): StatusState => ({
  ...INITIAL_STATUS,
  status,
  source: 'silence',
  startedAt: 1,
  work: { authority: 'silence', expires: null },
  ...more,
})
const signal = (event: StatusEvent, more: Partial<StatusSignal> = {}): StatusSignal => ({
  event,
  source: 'screen',
  t: 9,
  generation: 0,
  ...more,
})

/**
 * The status after an event. `·`: it stays; `–`: the event is refused; `*`: the clock starts again;
 * `!`: the status counts as seen.
 */
const AFTER = `
                   idle              running           long-running      waiting-approval  done              failed
start              running*          running*          running*          running           running*          running*
activity           –                 ·                 ·                 running           –                 –
ask                waiting-approval  waiting-approval  waiting-approval  ·                 waiting-approval  waiting-approval
answered           –                 ·                 ·                 running           –                 –
finish-ok          –                 done              done              done              ·                 –
finish-fail        failed            failed            failed            failed            failed            ·
idle               ·                 idle*             idle*             idle*             ·                 ·
seen               ·                 ·                 ·                 idle*!            idle*!            idle*!
clear              ·                 idle*             idle*             idle*             idle*             idle*
long               –                 long-running      –                 –                 –                 –
wait-over-changed  –                 –                 –                 running           –                 –
wait-over-quiet    –                 –                 –                 idle*             –                 –
gone-ok            ·                 done              done              done              ·                 ·
gone-fail          failed            failed            failed            failed            failed            ·
`

describe('the status table', () => {
  it('leads from each status by each event to the expected next status, if every guard holds', () => {
    const [head, ...lines] = AFTER.trim().split('\n')
    const statuses = head!.trim().split(/ +/) as PaneStatus[]
    const grid = new Map(lines.map(line => line.trim().split(/ +/)).map(([event, ...cells]) => [event, cells]))
    for (const { state, event } of everyPair(statusTable)) {
      const cell = grid.get(event)![statuses.indexOf(state)]!
      const after = applySignal(stateIn(state, { seen: false }), signal(event))
      const target = cell.replace(/[*!]+$/, '')
      const next = target === '–' || target === '·' ? state : target
      expect
        .soft([state, event, after.entry.reason, after.state.status, after.state.startedAt])
        .toEqual([state, event, target === '–' ? 'no_rule' : 'applied', next, cell.includes('*') ? 9 : 1])
      if (cell.includes('!')) expect.soft([state, event, after.state.seen]).toEqual([state, event, true])
    }
  })

  it.each([
    ['running', 'start', { source: 'silence' }, 'running', 'applied', 1],
    ['long-running', 'start', { source: 'silence' }, 'long-running', 'applied', 1],
    ['long-running', 'start', { source: 'screen' }, 'running', 'applied', 9],
    ['waiting-approval', 'start', { isAsking: true }, 'waiting-approval', 'guard:not-asking', 1],
    ['waiting-approval', 'idle', { isAsking: true }, 'waiting-approval', 'guard:not-asking', 1],
    ['waiting-approval', 'wait-over-quiet', { isAsking: true }, 'waiting-approval', 'guard:not-asking', 1],
    ['running', 'finish-ok', { generation: -1 }, 'running', 'stale_generation', 1],
  ] as const)('gives for %s and %s with %j: %s, %s', (status, event, more, to, reason, startedAt) => {
    const after = applySignal(stateIn(status), signal(event, more))
    expect([after.state.status, after.entry.reason, after.state.startedAt]).toEqual([to, reason, startedAt])
  })

  it('does not let a lower authority end work until the report that started it has expired', () => {
    const work = { authority: 'hook' as const, expires: 20 }
    expect(
      applySignal(stateIn('running', { work }), signal('finish-ok', { source: 'screen', t: 19 })).entry.reason,
    ).toBe('guard:entitled')
    expect(
      applySignal(stateIn('running', { work }), signal('finish-ok', { source: 'screen', t: 20 })).state.status,
    ).toBe('done')
    expect(
      applySignal(stateIn('running', { work }), signal('finish-ok', { source: 'osc7501', t: 1 })).state.status,
    ).toBe('done')
    expect(
      applySignal(stateIn('running', { work }), signal('finish-ok', { source: 'screen', t: 1, isReading: true })).state
        .status,
    ).toBe('done')
  })

  const WAIT_ENDS = ['start', 'activity', 'finish-ok', 'idle', 'wait-over-changed', 'wait-over-quiet'] as const
  const RUN_ENDS = ['finish-ok', 'finish-fail', 'idle'] as const
  it.each([
    ...WAIT_ENDS.map(event => ['not-asking', 'waiting-approval', event] as const),
    ...RUN_ENDS.flatMap(event =>
      (['running', 'long-running'] as const).map(status => ['entitled', status, event] as const),
    ),
    ['entitled', 'waiting-approval', 'finish-ok'],
    ['entitled', 'waiting-approval', 'finish-fail'],
  ] as const)('has the guard %s for %s × %s, which refuses until it holds', (guard, status, event) => {
    const state = stateIn(status, { work: { authority: 'hook', expires: null } })
    const refused =
      guard === 'not-asking' ? ({ source: 'hook', isAsking: true } as const) : ({ source: 'screen' } as const)
    expect(applySignal(state, signal(event, refused))).toMatchObject({ state, entry: { reason: `guard:${guard}` } })
    const applied = applySignal(state, signal(event, { source: 'hook' }))
    expect([applied.entry.reason, applied.state.status]).toEqual(['applied', statusAfter(status, event)])
  })

  it('keeps a reported wait when it is seen', () => {
    const after = applySignal(
      stateIn('waiting-approval', { source: 'screen', seen: false }),
      signal('seen', { source: 'user' }),
    )
    expect(after.state).toMatchObject({ status: 'waiting-approval', seen: true })
  })

  it('does not leave a live menu for idle without an answer, a clear or an exit', () => {
    const events = statusTable.events.filter(event => !['answered', 'clear', 'gone-ok', 'gone-fail'].includes(event))
    const source = fc.constantFrom('osc7501', 'hook', 'screen', 'silence', 'user', 'timer')
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...events), source), { maxLength: 12 }), steps => {
        let state = stateIn('waiting-approval', { source: 'screen' })
        for (const [event, from] of steps) {
          state = applySignal(state, signal(event, { source: from as StatusSignal['source'], isAsking: true })).state
          if (state.status === 'failed') return
          expect(state.status).toBe('waiting-approval')
        }
      }),
    )
  })
})

describe('eventOfClaim', () => {
  const reading = { authority: 'screen', view: 'idle_prompt', awaiting: null, isTurnClosed: false } as const
  it.each([
    [{ ...reading, claim: { is: 'working' } }, null, 'idle', 'start'],
    [{ ...reading, claim: { is: 'working' } }, { is: 'working' }, 'running', 'activity'],
    [
      { ...reading, claim: { is: 'working' } },
      { is: 'blocked', awaiting: 'permission' },
      'waiting-approval',
      'answered',
    ],
    [{ ...reading, claim: { is: 'working' } }, { is: 'blocked', awaiting: 'picker' }, 'idle', 'start'],
    [{ ...reading, claim: { is: 'blocked', awaiting: 'plan' } }, null, 'running', 'ask'],
    [{ ...reading, claim: { is: 'blocked', awaiting: 'picker' } }, null, 'running', null],
    [{ ...reading, claim: { is: 'done' } }, null, 'running', 'finish-ok'],
    [{ ...reading, claim: { is: 'failed', reason: 'x' } }, null, 'running', 'finish-fail'],
    [{ ...reading, claim: { is: 'stopped', by: 'interrupted' } }, null, 'running', 'idle'],
    [{ ...reading, claim: { is: 'idle' }, authority: 'osc7501', isTurnClosed: true }, null, 'running', 'idle'],
    [{ ...reading, claim: { is: 'idle' }, isTurnClosed: true }, null, 'running', 'finish-ok'],
    [{ ...reading, claim: { is: 'idle' } }, null, 'running', 'idle'],
    [{ ...reading, claim: { is: 'idle', fresh: true }, isTurnClosed: true }, null, 'running', 'idle'],
    [{ ...reading, claim: { is: 'idle' }, view: 'parallel_agents' }, null, 'idle', 'start'],
    [{ ...reading, claim: { is: 'starting' } }, null, 'idle', null],
    [{ ...reading, claim: { is: 'exited', code: 0, signal: null } }, null, 'running', 'gone-ok'],
    [{ ...reading, claim: { is: 'exited', code: null, signal: 'SIGKILL' } }, null, 'running', 'gone-fail'],
    [{ ...reading, claim: null }, null, 'running', null],
  ] as const)('maps %j after %j while %s to %s', (now, before, status, event) => {
    expect(eventOfClaim(now, before, status)).toBe(event)
  })

  it('work becomes long-running after 60 seconds and not earlier', () => {
    const tracker = new StatusTracker()
    tracker.read({ ...reading, claim: { is: 'working' } }, 10)
    tracker.tick(69.9)
    expect(tracker.state.status).toBe('running')
    expect(tracker.nextDeadline()).toBe(70)
    tracker.tick(70)
    expect(tracker.state).toMatchObject({ status: 'long-running', startedAt: 10 })
    tracker.read({ ...reading, claim: { is: 'done' } }, 80)
    expect(tracker.state).toMatchObject({ status: 'done', seen: false, startedAt: 10 })
    expect(tracker.history.map(entry => `${entry.event} ${entry.reason}`)).toEqual([
      'start applied',
      'long applied',
      'finish-ok applied',
    ])
  })
})
