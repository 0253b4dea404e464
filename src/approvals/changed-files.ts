import { statSync } from 'node:fs'
import type { ApprovalRecord, ApprovalRequest } from './record.js'

/** What was allowed may be written a while after the agent was seen to go on. */
const OWN_WRITE_MS = 5_000

/**
 * Files that a request is about and that somebody has written since the session's last request about them came to its end: what is known
 * of them from then is no longer so. Their writing by that request itself does not count.
 */
export function changedFiles(
  { request }: Pick<ApprovalRequest, 'request'>,
  earlier: readonly ApprovalRecord[],
  writtenAt: (path: string) => number | null = modificationTime,
): string[] {
  return (request.targets ?? []).flatMap(({ path, real }) => {
    const last = earlier.findLast(other => other.request.targets?.some(target => target.real === real))
    if (!last?.outcome) return []
    const at = writtenAt(real)
    return at !== null && at > last.outcome.at + OWN_WRITE_MS ? [path] : []
  })
}

function modificationTime(path: string): number | null {
  try {
    return statSync(path).mtimeMs
  } catch {
    return null
  }
}
