/*
 * What needs a person, beside open requests. Every surface uses this file. The dashboard imports
 * it, too, so it must not import anything itself. Times are milliseconds.
 */

/** How long a run that failed stays in the list. */
const RECENT_MS = 24 * 3_600_000

/** A run that has not ended. */
export function isOpenRun({ status }: { status: string }): boolean {
  return status === 'queued' || status === 'running' || status === 'waiting' || status === 'paused'
}

/** A run that no process drives, or that failed in the last 24 hours. */
export function runNeedsYou(
  { isUndriven, status, endedAt }: { isUndriven: boolean; status: string; endedAt: number | null },
  now: number,
): boolean {
  if (isUndriven) return true
  return (status === 'failed' || status === 'rejected') && endedAt !== null && now - endedAt < RECENT_MS
}

/**
 * A pane that waits for a person or makes no progress, and has no open request. `asking`: the
 * sessions of open requests.
 */
export function paneNeedsYou(
  pane: { id: string; needsYou: boolean; stuck: string | null; approval?: string | undefined },
  asking: ReadonlySet<string | undefined>,
): boolean {
  return (pane.needsYou || pane.stuck !== null) && !asking.has(pane.id) && pane.approval === undefined
}

/** A live session that has used its budget. */
export function isPausedByBudget({ paused, endedAt }: { paused?: unknown; endedAt?: unknown }): boolean {
  return paused !== undefined && endedAt === undefined
}
