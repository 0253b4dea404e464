import { type EventData, type EventType, isEvent } from '../events/index.js'
import type { Projection, StoredEvent } from '../store/index.js'
import type { ApprovalState } from './approval-table.js'

export type ApprovalRequest = EventData<'approval.requested'>
export type ApprovalDecision = EventData<'approval.decided'>

/** One request for a decision, with all that became of it: a projection of its stream. */
export interface ApprovalRecord extends ApprovalRequest {
  id: string
  state: ApprovalState
  version: number
  requestedAt: number
  decision?: ApprovalDecision & { at: number }
  delivery: (EventData<'approval.delivering'> & { at: number })[]
  outcome?: { at: number; reason?: string; evidence?: unknown[] }
}

const TYPES: readonly EventType[] = [
  'approval.requested',
  'approval.decided',
  'approval.delivering',
  'approval.applied',
  'approval.stale',
  'approval.expired',
  'approval.cancelled',
]

export const approvalsProjection: Projection<ApprovalRecord> = {
  name: 'approvals',
  version: 1,
  types: TYPES,
  key: event => event.stream.slice(event.stream.indexOf('/') + 1),
  evolve: (record, event) => {
    const next = evolve(record, event)
    return next && { ...next, version: event.version }
  },
}

function evolve(record: ApprovalRecord | null, event: StoredEvent): ApprovalRecord | null {
  if (isEvent(event, 'approval.requested')) {
    const id = event.stream.slice(event.stream.indexOf('/') + 1)
    return { ...event.data, id, state: 'pending', version: event.version, requestedAt: event.at, delivery: [] }
  }
  if (!record) return null
  if (isEvent(event, 'approval.decided')) return { ...record, state: 'decided', decision: { ...event.data, at: event.at } }
  if (isEvent(event, 'approval.delivering')) return { ...record, delivery: [...record.delivery, { ...event.data, at: event.at }] }
  if (isEvent(event, 'approval.applied')) return { ...record, state: 'applied', outcome: { at: event.at, evidence: event.data.evidence } }
  if (isEvent(event, 'approval.stale')) return { ...record, state: 'stale', outcome: { at: event.at, reason: event.data.reason } }
  if (isEvent(event, 'approval.expired')) return { ...record, state: 'expired', outcome: { at: event.at, reason: event.data.reason } }
  if (isEvent(event, 'approval.cancelled')) return { ...record, state: 'cancelled', outcome: { at: event.at, reason: event.data.reason } }
  return record
}

export function approvalStream(id: string): string {
  return `approval/${id}`
}
