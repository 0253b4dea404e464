import { changedFiles } from './changed-files.js'
import type { ApprovalRecord, ApprovalRequest } from './record.js'

/** The same request this often within this time is a loop. */
export const LOOP_MS = 600_000
export const LOOP_COUNT = 5

/**
 * What the session's earlier requests say about a new one: whether its files were written since,
 * and whether the agent asks for the same in a loop. A request from the screen and the same one
 * from a hook have different fingerprints, but equal menus.
 */
export function historyOf(
  request: ApprovalRequest,
  earlier: readonly ApprovalRecord[],
  now: number,
): Pick<ApprovalRequest, 'repeats' | 'changed'> {
  const recent = earlier.filter(({ requestedAt }) => requestedAt >= now - LOOP_MS)
  const equal = recent.filter(({ fingerprint }) => fingerprint === request.fingerprint)
  const menus = new Set([request, ...equal].flatMap(({ menuHash }) => menuHash ?? []))
  const same = recent.filter(record => equal.includes(record) || (record.menuHash && menus.has(record.menuHash)))
  const changed = changedFiles(request, earlier)
  return {
    ...(same.length + 1 >= LOOP_COUNT && { repeats: same.length + 1 }),
    ...(changed.length > 0 && { changed }),
  }
}
