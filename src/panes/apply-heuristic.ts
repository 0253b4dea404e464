import type { HeuristicResult } from './heuristics/index.js'
import type { ProgressTracker } from './progress.js'
import { isMissingPrompt } from './reading.js'
import type { SupervisedStatus } from './supervised-status.js'
import { describeClaim, SIGNAL_EFFECTS, SIGNAL_EXPIRY_S, type SupervisorOptions } from './supervisor-parts.js'

/**
 * Applies a guess: counts it with its reason; it loses to any better source, and otherwise counts
 * for a while. True if it changed the status.
 *
 * One source is not better: a shell's prompt that is missing from the screen. It reports only that
 * a program runs, and does so until the program ends; the heuristics are for programs that wait for
 * their user without ending.
 */
export function applyHeuristic(
  { emitted, suppressed, isStalled }: HeuristicResult,
  t: number,
  options: {
    job: string
    status: SupervisedStatus
    progress: ProgressTracker
    counters: SupervisorOptions['counters']
  },
): boolean {
  const { job, status, progress, counters } = options
  if (isStalled) progress.stalled()
  if (suppressed && suppressed.signal !== 'any')
    counters.add('heuristic.suppressed', { signal: suppressed.signal, job, reason: suppressed.reason })
  if (!emitted) return false
  counters.add('heuristic.emitted', { signal: emitted.signal, job, reason: emitted.reason })
  const { event, claim } = SIGNAL_EFFECTS[emitted.signal]
  const ref = `content/${emitted.signal}: ${emitted.reason}`
  const top = status.pane
    .unexpired(t)
    .find(({ authority, ref }) => authority !== 'silence' && !(authority === 'structure' && isMissingPrompt(ref)))
  if (top && top.claim.is !== claim.is) {
    counters.add('reading.contradiction', { won: top.authority, lost: 'silence' })
    status.log.add({ t, source: 'silence', says: describeClaim(claim), ref, effect: `lost to ${top.authority}` })
    return false
  }
  status.pane.leaveToHeuristics()
  status.pane.report({ authority: 'silence', claim, t, expires: t + SIGNAL_EXPIRY_S, ref })
  return status.apply(event, 'silence', t, ref, { isReading: top === undefined }).reason === 'applied'
}
