import { changedFiles } from './changed-files.js'
import { LOOP_COUNT, LOOP_MS } from './notification-plan.js'
import type { ApprovalRecord, ApprovalRequest } from './record.js'

/**
 * What the session's earlier requests say about a new one. Files that it is about may have been written since the last one. An agent that
 * asks for the same again and again, whatever it is told, is in a loop; a request that only the screen told of has another fingerprint than
 * the same one by a hook, but their menus read alike.
 */
export function historyOf(
  request: ApprovalRequest,
  earlier: readonly ApprovalRecord[],
  now: number,
): Pick<ApprovalRequest, 'repeats' | 'changed'> {
  const recent = earlier.filter(({ requestedAt }) => requestedAt >= now - LOOP_MS)
  const told = recent.filter(({ fingerprint }) => fingerprint === request.fingerprint)
  const menus = new Set([request, ...told].flatMap(({ menuPrint }) => menuPrint ?? []))
  const same = recent.filter(record => told.includes(record) || (record.menuPrint && menus.has(record.menuPrint)))
  const changed = changedFiles(request, earlier)
  return {
    ...(same.length + 1 >= LOOP_COUNT && { repeats: same.length + 1 }),
    ...(changed.length > 0 && { changed }),
  }
}
