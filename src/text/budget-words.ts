/** A budget that is used up. */
export interface UsedBudget {
  limit: 'session-usd' | 'session-tokens' | 'day-usd'
  of: number
  used: number
  /** A part of what was used has no known price. */
  isPartial?: boolean | undefined
}

/** Why a session is paused, in one sentence. */
export function budgetSentence({ limit, of, used, isPartial }: UsedBudget): string {
  if (limit === 'day-usd')
    return `Today’s budget of ${usd(of)} is used up (${isPartial ? 'at least ' : ''}${usd(used)} so far).`
  if (limit === 'session-usd') return `The session has used its budget of ${usd(of)} (${usd(used)} so far).`
  return `The session has used its budget of ${count(of)} tokens (${count(used)} so far).`
}

/** The next budget that lets the session continue: as much again, from what is used now. */
export function raisedLimit({ limit, of, used }: UsedBudget): number {
  const next = Math.max(of, used) + of
  if (limit === 'session-tokens') return Math.ceil(next / 1_000) * 1_000
  return next < 10 ? Math.ceil(next * 100) / 100 : Math.ceil(next)
}

/** The command that lets session `number` continue. */
export function raiseCommand(number: number, used: UsedBudget): string {
  const next = raisedLimit(used)
  if (used.limit === 'day-usd') return `signalbox config set runs.day_usd ${next}`
  return `signalbox budget ${number} ${used.limit === 'session-tokens' ? `--tokens ${next}` : next}`
}

function usd(amount: number): string {
  return `$${amount.toFixed(2)}`
}

function count(tokens: number): string {
  return tokens.toLocaleString('en')
}
