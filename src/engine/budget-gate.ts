import { type ApprovalRequest, fingerprintOf, sha256 } from '../approvals/requests/index.js'
import type { Limits, Spending } from './usage.js'

/** The gate at which a run waits when a limit is used up. */
export const BUDGET_GATE = 'budget'

const NAMES = { costUsd: 'USD', tokens: 'tokens', timeMs: 'ms' } as const

/** Asks whether a run without budget may continue; "raise" raises limits and resumes. */
export function budgetRequest(
  { id, cwd, limits }: { id: string; cwd: string; limits: Limits },
  exceeded: readonly Spending[],
): ApprovalRequest {
  const raiseTo = Object.fromEntries(
    exceeded.map(({ limit, spent, of }) => [limit, (limits[limit] ?? of) + Math.max(of, spent)]),
  )
  const spent = exceeded.map(({ limit, spent, of }) => `${spent} of ${of} ${NAMES[limit]}`).join(', ')
  const title = `Run ${id} has used up its budget: ${spent}`
  const kind = 'budget' as const
  const input = { limits: Object.fromEntries(exceeded.map(({ limit, of }) => [limit, of])), raiseTo }
  const questions = [{ text: title, multi: false }]
  const options = [
    { key: 'raise', label: `Raise to ${describe(raiseTo)}`, meaning: 'choice' as const },
    { key: 'cancel', label: 'Cancel the run', meaning: 'cancel' as const },
  ].map(option => ({ ...option, from: 'signalbox' as const, danger: null }))
  const blocks = [{ kind: 'value', text: title }]
  const asked = { kind, agent: 'signalbox', tool: BUDGET_GATE, input, text: title, cwd, questions, options }
  return {
    kind,
    subject: { agent: 'signalbox', run: id, effect: `${id}/${BUDGET_GATE}`, project: cwd, cwd, hostName: '' },
    request: { tool: BUDGET_GATE, input, text: title, questions, options, freeText: 'none' },
    source: { channel: 'run', requestKey: BUDGET_GATE, evidence: [] },
    fingerprint: fingerprintOf({ ...asked, session: `${id}/${BUDGET_GATE} ${spent}` }),
    instance: `${BUDGET_GATE} ${spent}`,
    risk: { level: 'low', reasons: [] },
    display: { title, blocks, findings: [], hash: sha256(JSON.stringify({ title, blocks })) },
  }
}

function describe(limits: Record<string, number>): string {
  return Object.entries(limits)
    .map(([limit, value]) => `${value} ${NAMES[limit as keyof typeof NAMES]}`)
    .join(', ')
}
