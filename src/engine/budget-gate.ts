import type { ApprovalRequest } from '../approvals/requests/index.js'
import { engineRequest } from './engine-request.js'
import type { Limits, Spending } from './usage.js'

/** The gate at which a run waits when a limit is used up. */
export const BUDGET_GATE = 'budget'

const NAMES = { costUsd: 'USD', tokens: 'tokens', timeMs: 'ms' } as const

/** Asks whether a run without budget may continue; "raise" raises limits and resumes. */
export function budgetRequest(
  run: { id: string; cwd: string; limits: Limits },
  exceeded: readonly Spending[],
): ApprovalRequest {
  const raiseTo = Object.fromEntries(
    exceeded.map(({ limit, spent, of }) => [limit, (run.limits[limit] ?? of) + Math.max(of, spent)]),
  )
  const spent = exceeded.map(({ limit, spent, of }) => `${spent} of ${of} ${NAMES[limit]}`).join(', ')
  return engineRequest(run, {
    kind: 'budget',
    gate: BUDGET_GATE,
    about: spent,
    title: `Run ${run.id} has used up its budget: ${spent}`,
    input: { limits: Object.fromEntries(exceeded.map(({ limit, of }) => [limit, of])), raiseTo },
    options: [
      { key: 'raise', label: `Raise to ${describe(raiseTo)}`, meaning: 'choice' },
      { key: 'cancel', label: 'Cancel the run', meaning: 'cancel' },
    ],
  })
}

function describe(limits: Record<string, number>): string {
  return Object.entries(limits)
    .map(([limit, value]) => `${value} ${NAMES[limit as keyof typeof NAMES]}`)
    .join(', ')
}
