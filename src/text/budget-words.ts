/** A budget that is used up. */
export interface UsedBudget {
  limit: 'session-usd' | 'session-tokens' | 'day-usd'
  of: number
  used: number
}

/** Why a session is paused, in one sentence. */
export function budgetSentence({ limit, of, used }: UsedBudget): string {
  if (limit === 'day-usd') return `Today’s budget of ${usd(of)} is used up (${usd(used)} so far).`
  if (limit === 'session-usd') return `The session has used its budget of ${usd(of)} (${usd(used)} so far).`
  return `The session has used its budget of ${count(of)} tokens (${count(used)} so far).`
}

function usd(amount: number): string {
  return `$${amount.toFixed(2)}`
}

function count(tokens: number): string {
  return tokens.toLocaleString('en')
}
