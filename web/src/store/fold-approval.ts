import type { Approval, StreamEvent } from '../api/types'

const ENDS: Readonly<Record<string, Approval['state']>> = {
  'approval.applied': 'applied',
  'approval.stale': 'stale',
  'approval.expired': 'expired',
  'approval.cancelled': 'cancelled',
}

/**
 * An approval after one more event of its stream. Null: load the record, because an event is
 * missing in between or this one changes the display.
 */
export function foldApproval(known: Approval | undefined, event: StreamEvent): Approval | null {
  const id = event.subject.slice(event.subject.indexOf('/') + 1)
  const { type, at, version, data } = event
  if (type === 'approval.requested')
    return { ...(data as unknown as Approval), id, state: 'pending', version, requestedAt: at, delivery: [] }
  if (!known) return null
  if (version <= known.version) return known
  if (version !== known.version + 1 || type === 'approval.joined') return null
  const next: Approval = { ...known, version }
  if (type === 'approval.decided')
    return { ...next, state: 'decided', decision: { ...(data as unknown as NonNullable<Approval['decision']>), at } }
  const end = ENDS[type]
  if (end) return { ...next, state: end, outcome: { ...(data as Partial<NonNullable<Approval['outcome']>>), at } }
  return next
}
