/*
 * A cost of which a part may be unknown: some agents report tokens and no price. Every surface says
 * “at least” then, and what is missing. The dashboard imports this file, too, so it must not import
 * anything itself.
 */

/** A sum of use. `isPartial`: a part of it has no known price. */
export interface KnownCost {
  costUsd?: number | null | undefined
  isPartial?: boolean | undefined
}

/** Whether tokens were used that have no known price. */
export function isUnpriced({
  input,
  output,
  costUsd,
  isPartial,
}: KnownCost & { input: number; output: number }): boolean {
  return isPartial === true || ((costUsd === undefined || costUsd === null) && input + output > 0)
}

/** How many sessions and runs used tokens that have no known price. */
export interface Unpriced {
  sessions: number
  runs: number
}

/** `$1.20`, `at least $1.20`, or `cost unknown`. */
export function costText({ costUsd, isPartial }: KnownCost, digits = 2): string {
  if (costUsd === undefined || costUsd === null) return 'cost unknown'
  return `${isPartial ? 'at least ' : ''}$${costUsd.toFixed(digits)}`
}

/** The cost of what `unpriced` leaves out: unknown if nothing else was used. */
export function knownCost(costUsd: number, unpriced: Unpriced): KnownCost {
  const isPartial = unpriced.sessions + unpriced.runs > 0
  return isPartial && costUsd === 0 ? {} : { costUsd, isPartial }
}

/** `2 sessions and 1 run without a known price`; null if all prices are known. */
export function unpricedText({ sessions, runs }: Unpriced): string | null {
  const counts = [counted(sessions, 'session'), counted(runs, 'run')].filter(text => text !== '')
  return counts.length === 0 ? null : `${counts.join(' and ')} without a known price`
}

function counted(count: number, word: string): string {
  return count === 0 ? '' : `${count} ${word}${count === 1 ? '' : 's'}`
}
