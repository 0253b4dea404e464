import { type EventData, newEvent } from '../events/index.js'
import type { NewEvent } from '../store/index.js'
import type { ApprovalEvent } from './approval-table.js'
import type { ApprovalRecord } from './record.js'

/** How a request ends: the event of its table, and the event that is stored. */
export interface RequestOutcome {
  by: ApprovalEvent
  event: NewEvent
}

export type OutcomeEvidence = { kind: string; [key: string]: unknown }[]

/** An answer in the agent's own dialog, as far as it is known. */
export interface ObservedAnswer {
  option?: string | null
  result?: 'allowed' | 'denied' | undefined
  /** Keys of a person reached the dialog. */
  hasKeys?: boolean
}

/** The agent accepted the decision. */
export function appliedOutcome(
  { requestedAt, decision }: Pick<ApprovalRecord, 'requestedAt' | 'decision'>,
  evidence: OutcomeEvidence,
  at: number,
): RequestOutcome {
  const delivered = decision?.at !== undefined && { deliveredMs: Math.max(0, at - decision.at) }
  const event = newEvent('approval.applied', { evidence, waitedMs: waited(requestedAt, at), ...delivered })
  return { by: 'moved-on', event }
}

/** The request was answered in the agent's own dialog. */
export function observedOutcome(
  { requestedAt }: ApprovalRecord,
  evidence: OutcomeEvidence,
  at: number,
  { option = null, result, hasKeys = true }: ObservedAnswer,
): RequestOutcome {
  const who = hasKeys
    ? { id: 'terminal', name: 'a person at the terminal' }
    : { id: 'agent', name: 'the agent’s own dialog or rules' }
  const actor = { kind: 'observed' as const, ...who, role: 'approver' as const }
  const observed = { actor, surface: 'terminal' as const, option, ...(result && { result }) }
  const event = newEvent('approval.applied', { evidence, waitedMs: waited(requestedAt, at), observed })
  return { by: 'observed', event }
}

export function staleOutcome(
  reason: EventData<'approval.stale'>['reason'],
  evidence: OutcomeEvidence | undefined,
): RequestOutcome {
  return { by: reason, event: newEvent('approval.stale', { reason, ...(evidence && { evidence }) }) }
}

/** No decision was made in time. This never allows; the owner of the deadline does what follows. */
export function expiredOutcome({ deadline }: ApprovalRecord): RequestOutcome {
  const onExpiry = deadline?.onExpiry ?? 'nothing'
  return { by: 'deadline', event: newEvent('approval.expired', { reason: 'no decision was made in time', onExpiry }) }
}

/** Not negative, also when the wall clock was set back. */
function waited(requestedAt: number, at: number): number {
  return Math.max(0, at - requestedAt)
}
