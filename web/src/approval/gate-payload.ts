import type { Approval, ItemsGate, PlanGate } from '../api/types'

/** The plan that a gate asks about; null for every other request. */
export function planOf({ request }: Approval): PlanGate | null {
  const input = request.input as PlanGate | null | undefined
  return input?.gate === 'plan' ? input : null
}

export interface ReviewItem {
  id: string
  severity: string
  title: string
  file: string
  line: number | null
  text: string
  /** What the Evaluator recommends, and why. */
  verdict: string
  reason: string
}

export interface Review {
  items: ReviewItem[]
  /** Ids of the items that the Evaluator recommends to fix. */
  advised: string[]
  canReviewAgain: boolean
}

/** The items that a gate asks about; null for every other request. */
export function reviewOf({ request }: Approval): Review | null {
  const input = request.input as ItemsGate | null | undefined
  if (input?.gate !== 'items') return null
  return {
    items: input.items.map(({ number, severity, title, file, line, issue, fix, disposition, reason }) => ({
      id: String(number),
      severity,
      title,
      file,
      line,
      // A short comment of a person is both.
      text: [issue !== title && issue, fix && `Fix: ${fix}`].filter(Boolean).join('\n'),
      verdict: disposition,
      reason,
    })),
    advised: input.items.filter(({ disposition }) => disposition === 'implement').map(({ number }) => String(number)),
    canReviewAgain: input.pass < input.of,
  }
}
