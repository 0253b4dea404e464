import { describe, expect, it } from 'vitest'
import { AUTHORITIES, type Authority, type Claim, rankOf } from './evidence.js'
import { SIGNAL_SOURCES } from './signals.js'
import { type PaneStatus, type StatusEvent, statusTable } from './status-table.js'
import { sourceOf } from './supervisor-parts.js'
import { Bench } from './testing/bench.js'
import { statusAfter } from './testing/status-after.js'

/*
 * The whole of supervision walked from outside: every status × every claim of every authority, once while a hook's word stands (lower ones
 * must change nothing) and once after it fell silent (then the next one speaks); and every status × what is no claim. What each must lead to
 * is computed from the tables. A new status, authority or claim without a case here fails the walk.
 */

/** How a pane comes into each status, by a hook's word alone. */
const INTO: Record<PaneStatus, (bench: Bench) => Bench> = {
  idle: bench => bench.hook({ is: 'waiting', kind: 'idle' }),
  running: bench => bench.hook({ is: 'working' }),
  'long-running': bench => bench.hook({ is: 'working' }).advance(61),
  'waiting-approval': bench => bench.hook({ is: 'waiting', kind: 'permission' }),
  done: bench => bench.hook({ is: 'working' }).hook({ is: 'turn-ended', outcome: 'done' }),
  failed: bench => bench.hook({ is: 'working' }).hook({ is: 'turn-ended', outcome: 'failed' }),
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

/** The event that a claim of this authority stands for in a pane of this status. */
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
      return !isOpen || ['osc7501', 'hook', 'transcript'].includes(authority) ? 'rest' : 'finish-ok'
    case 'stopped':
      return 'rest'
    default:
      return null
  }
}

function say(bench: Bench, authority: Authority, claim: Claim): void {
  const evidence = { authority, claim, t: bench.t, expires: null, ref: `${authority}/walk` }
  bench.pane.report(evidence)
  bench.supervisor.take([{ type: 'evidence', evidence }], bench.t)
}

const speaking = AUTHORITIES.filter(authority => authority !== 'exit' && authority !== 'silence')
const claims = Object.keys(CLAIMS) as (keyof typeof CLAIMS)[]

describe.each(statusTable.states)('§2.1 × §3, a pane that is %s', status => {
  const at = () => {
    const bench = INTO[status](new Bench().advance(1)).advance(0.5)
    expect(bench.status).toBe(status)
    return bench
  }

  it.each(speaking)('while a hook’s word stands, %s changes what its rank allows', authority => {
    for (const claim of claims) {
      const bench = at()
      say(bench, authority, CLAIMS[claim])
      // Hook and transcript are of one rank: the newer speaks.
      const isHeard = rankOf(authority) <= rankOf('transcript')
      const event = isHeard ? eventOf(claim, authority, status) : null
      expect.soft([claim, bench.status]).toEqual([claim, event === null ? status : statusAfter(status, event)])
    }
  })

  it.each(speaking)('once the hook is silent, %s speaks', authority => {
    for (const claim of claims) {
      const bench = at()
      bench.pane.hear({ channel: 'hook', statement: { is: 'ended', reason: 'x' } } as never, bench.t)
      say(bench, authority, CLAIMS[claim])
      const event = eventOf(claim, authority, status)
      expect.soft([claim, bench.status]).toEqual([claim, event === null ? status : statusAfter(status, event)])
    }
  })

  it.each([
    ['process.exit 0', (b: Bench) => b.supervisor.exited({ code: 0, signal: null }, b.t), 'gone-ok'],
    ['process.exit 1', (b: Bench) => b.supervisor.exited({ code: 1, signal: null }, b.t), 'gone-fail'],
    [
      'process.exit by a signal',
      (b: Bench) => b.supervisor.exited({ code: null, signal: 'SIGKILL' }, b.t),
      'gone-fail',
    ],
    ['user.clear', (b: Bench) => b.supervisor.clear(b.t), 'clear'],
    ['hook.SessionEnd', (b: Bench) => b.supervisor.note('hook', 'ended', b.t), 'rest'],
    ['hook.PostToolUse', (b: Bench) => b.supervisor.note('hook', 'tool', b.t), null],
  ] as const)('%s', (_name, fire, event) => {
    const bench = at()
    if (event === 'rest')
      bench.pane.hear({ channel: 'hook', statement: { is: 'ended', reason: 'x' } } as never, bench.t)
    fire(bench)
    expect(bench.status).toBe(event === null ? status : statusAfter(status, event))
  })

  it('user.click is seen; a wait that somebody stands behind stays', () => {
    const bench = at()
    bench.supervisor.seen(bench.t)
    expect(bench.status).toBe(status === 'waiting-approval' ? status : statusAfter(status, 'seen'))
    expect(bench.supervisor.state(bench.t).seen).toBe(!['running', 'long-running'].includes(status))
  })

  it('timer.long comes to running alone', () => {
    expect(at().advance(61).status).toBe(statusAfter(status, 'long'))
  })

  it('timer.wait ends a wait that nobody stands behind, and nothing else', () => {
    const bench = at()
    bench.pane.hear({ channel: 'hook', statement: { is: 'ended', reason: 'x' } } as never, bench.t)
    expect(bench.advance(30).status).toBe(status === 'waiting-approval' ? 'idle' : status)
    expect(at().advance(30).status).toBe(status)
  })

  it('process.foreground back at the shell ends no run that a hook began', () => {
    const bench = at().runs('node').runs('bash', true)
    expect(bench.status).toBe(status)
  })

  it('content and guesses change nothing while a hook speaks', () => {
    const bench = at().runs('node').print('esc to interrupt\r\nAll done!\r\n').advance(10)
    expect(bench.status).toBe(status)
    expect(bench.counters.total('heuristic.emitted')).toBe(0)
  })
})

it('the walk has a case for every source of signals', () => {
  const walked = new Set<string>([
    ...AUTHORITIES.map(authority => sourceOf({ authority } as never)),
    'process',
    'user',
    'timer',
  ])
  expect(SIGNAL_SOURCES.filter(source => !walked.has(source))).toEqual([])
})
