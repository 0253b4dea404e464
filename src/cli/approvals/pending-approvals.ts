import { type ApprovalRecord, approvalsProjection } from '../../approvals/index.js'
import type { EventStore } from '../../store/index.js'

/** Open requests, oldest first, as the store has them: needs no daemon. */
export async function pendingApprovals(store: EventStore): Promise<ApprovalRecord[]> {
  const documents = await store.documents<ApprovalRecord>(approvalsProjection.name)
  return documents
    .map(({ state }) => state)
    .filter(({ state }) => state === 'pending')
    .sort((a, b) => a.requestedAt - b.requestedAt)
}
