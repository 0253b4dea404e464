import { describe, expect, it } from 'vitest'
import { AUTHORITIES, type Authority, type Claim, rankOf } from './evidence.js'
import { SIGNAL_SOURCES } from './signals.js'
import { type PaneStatus, type StatusEvent, statusTable } from './status-table.js'
import { sourceOf } from './supervisor-parts.js'
import { statusAfter } from './testing/status-after.js'
import { SupervisionFixture } from './testing/supervision-fixture.js'

/*
 * Walks the whole of supervision from outside: every status × every claim of every authority, once
 * while a hook's report counts (lower ones must change nothing) and once after it expired (then the
 * next one counts); and every status × every signal that is not a claim. The expected results are
 * computed from the tables. A new status, authority or claim without a case here fails the walk.
 */

/** How a pane gets into each status, by a hook's report alone. */
const INTO: Record<PaneStatus, (fixture: SupervisionFixture) => SupervisionFixture> = {
  idle: fixture => fixture.hook({ kind: 'waiting', waitsFor: 'idle' }),
  running: fixture => fixture.hook({ kind: 'working' }),
  'long-running': fixture => fixture.hook({ kind: 'working' }).advance(61),
  'waiting-approval': fixture => fixture.hook({ kind: 'waiting', waitsFor: 'permission' }),
  done: fixture => fixture.hook({ kind: 'working' }).hook({ kind: 'turn-ended', outcome: 'done' }),
  failed: fixture => fixture.hook({ kind: 'working' }).hook({ kind: 'turn-ended', outcome: 'failed' }),
}

const CLAIMS: Record<Exclude<Claim['is'], 'exited'>, Claim> = {
  starting: { is: 'starting' },
  working: { is: 'working' },
  blocked: { is: 'blocked', awaiting: 'permission' },
  done: { is: 'done' },
  failed: { is: 'failed', reason: 'x' },
  idle: { is: 'idle' },
  stopped: { is: 'stopped', by: 'interrupted' },
}

/** The event that a claim of this authority causes in a pane of this status. */
function eventOf(claim: Claim['is'], authority: Authority, status: PaneStatus): StatusEvent | null {
  const isOpen = status === 'running' || status === 'long-running' || status === 'waiting-approval'
  switch (claim) {
    case 'working':
      return status === 'waiting-approval' ? 'answered' : isOpen ? 'activity' : 'start'
    case 'blocked':
      return 'ask'
    case 'done':
      return 'finish-ok'
    case 'failed':
      return 'finish-fail'
    case 'idle':
      return !isOpen || ['osc7501', 'hook', 'transcript'].includes(authority) ? 'idle' : 'finish-ok'
    case 'stopped':
      return 'idle'
    default:
      return null
  }
}

function say(fixture: SupervisionFixture, authority: Authority, claim: Claim): void {
  const evidence = { authority, claim, t: fixture.t, expires: null, ref: `${authority}/walk` }
  fixture.pane.report(evidence)
  fixture.supervisor.applySteps([{ type: 'evidence', evidence }], fixture.t)
}

const speaking = AUTHORITIES.filter(authority => authority !== 'exit' && authority !== 'silence')
const claims = Object.keys(CLAIMS) as (keyof typeof CLAIMS)[]

describe.each(statusTable.states)('a pane that is %s', status => {
  const at = () => {
    const fixture = INTO[status](new SupervisionFixture().advance(1)).advance(0.5)
    expect(fixture.status).toBe(status)
    return fixture
  }

  it.each(speaking)('accepts from %s what its rank allows while a report of a hook counts', authority => {
    for (const claim of claims) {
      const fixture = at()
      say(fixture, authority, CLAIMS[claim])
      // Hook and transcript have the same rank: the newer one counts.
      const doesCount = rankOf(authority) <= rankOf('transcript')
      const event = doesCount ? eventOf(claim, authority, status) : null
      expect.soft([claim, fixture.status]).toEqual([claim, event === null ? status : statusAfter(status, event)])
    }
  })

  it.each(speaking)('accepts %s once the report of the hook has expired', authority => {
    for (const claim of claims) {
      const fixture = at()
      fixture.pane.applyReport({ channel: 'hook', statement: { kind: 'ended', reason: 'x' } } as never, fixture.t)
      say(fixture, authority, CLAIMS[claim])
      const event = eventOf(claim, authority, status)
      expect.soft([claim, fixture.status]).toEqual([claim, event === null ? status : statusAfter(status, event)])
    }
  })

  it.each([
    ['process.exit 0', (b: SupervisionFixture) => b.supervisor.exited({ code: 0, signal: null }, b.t), 'gone-ok'],
    ['process.exit 1', (b: SupervisionFixture) => b.supervisor.exited({ code: 1, signal: null }, b.t), 'gone-fail'],
    [
      'process.exit by a signal',
      (b: SupervisionFixture) => b.supervisor.exited({ code: null, signal: 'SIGKILL' }, b.t),
      'gone-fail',
    ],
    ['user.clear', (b: SupervisionFixture) => b.supervisor.clear(b.t), 'clear'],
    ['hook.SessionEnd', (b: SupervisionFixture) => b.supervisor.recordSignal('hook', 'ended', b.t), 'idle'],
    ['hook.PostToolUse', (b: SupervisionFixture) => b.supervisor.recordSignal('hook', 'tool', b.t), null],
  ] as const)('handles the signal %s', (_name, fire, event) => {
    const fixture = at()
    if (event === 'idle')
      fixture.pane.applyReport({ channel: 'hook', statement: { kind: 'ended', reason: 'x' } } as never, fixture.t)
    fire(fixture)
    expect(fixture.status).toBe(event === null ? status : statusAfter(status, event))
  })

  it('is seen at user.click, but keeps a wait that a source reports', () => {
    const fixture = at()
    fixture.supervisor.seen(fixture.t)
    expect(fixture.status).toBe(status === 'waiting-approval' ? status : statusAfter(status, 'seen'))
    expect(fixture.supervisor.state(fixture.t).seen).toBe(!['running', 'long-running'].includes(status))
  })

  it('becomes long-running at timer.long only from running', () => {
    expect(at().advance(61).status).toBe(statusAfter(status, 'long'))
  })

  it('ends only a guessed wait at timer.wait', () => {
    const fixture = at()
    fixture.pane.applyReport({ channel: 'hook', statement: { kind: 'ended', reason: 'x' } } as never, fixture.t)
    expect(fixture.advance(30).status).toBe(status === 'waiting-approval' ? 'idle' : status)
    expect(at().advance(30).status).toBe(status)
  })

  it('does not end a hook’s run when process.foreground is back at the shell', () => {
    const fixture = at().runs('node').runs('bash', true)
    expect(fixture.status).toBe(status)
  })

  it('ignores content and guesses while a hook reports', () => {
    const fixture = at().runs('node').print('esc to interrupt\r\nAll done!\r\n').advance(10)
    expect(fixture.status).toBe(status)
    expect(fixture.counters.total('heuristic.emitted')).toBe(0)
  })
})

it('the walk covers every source of signals', () => {
  const walked = new Set<string>([
    ...AUTHORITIES.map(authority => sourceOf({ authority } as never)),
    'process',
    'user',
    'timer',
  ])
  expect(SIGNAL_SOURCES.filter(source => !walked.has(source))).toEqual([])
})
