import type { Guess } from './heuristics/index.js'
import type { ProgressWatch } from './progress.js'
import type { SupervisedStatus } from './supervised-status.js'
import { GUESS_LASTS_S, GUESSES, type SupervisorOptions, says } from './supervisor-parts.js'

/** What becomes of a guess: it is counted with its reason, loses to anybody who knows better, and else speaks for a while. True: it spoke. */
export function heedGuess(
  { emitted, suppressed, isPlateau }: Guess,
  t: number,
  options: { job: string; status: SupervisedStatus; progress: ProgressWatch; counters: SupervisorOptions['counters'] },
): boolean {
  const { job, status, progress, counters } = options
  if (isPlateau) progress.stalled()
  if (suppressed && suppressed.signal !== 'any')
    counters.add('heuristic.suppressed', { signal: suppressed.signal, job, reason: suppressed.reason })
  if (!emitted) return false
  counters.add('heuristic.emitted', { signal: emitted.signal, job, reason: emitted.reason })
  const { event, claim } = GUESSES[emitted.signal]
  const ref = `content/${emitted.signal}: ${emitted.reason}`
  const top = status.pane.standing(t).find(({ authority }) => authority !== 'silence')
  if (top && top.claim.is !== claim.is) {
    counters.add('reading.contradiction', { won: top.authority, lost: 'silence' })
    status.log.add({ t, source: 'silence', says: says(claim), ref, effect: `lost to ${top.authority}` })
    return false
  }
  status.pane.report({ authority: 'silence', claim, t, expires: t + GUESS_LASTS_S, ref })
  status.apply(event, 'silence', t, ref)
  return true
}
