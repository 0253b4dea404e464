import { statSync } from 'node:fs'
import type { ApprovalRecord, ApprovalRequest } from './record.js'

/** An allowed write may happen a while after the request was closed. */
const OWN_WRITE_MS = 5_000

/**
 * The files of a request that were written since the session's last request about them was closed:
 * what the person saw then is outdated. The write of that request itself does not count.
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
