import { isEnded } from './run-status-table.js'
import type { RunRecord } from './runs-projection.js'

/** Queue order: higher `priority` label first, then older. */
export function byQueueOrder(a: RunRecord, b: RunRecord): number {
  return priorityOf(b) - priorityOf(a) || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)
}

function priorityOf({ labels }: RunRecord): number {
  const priority = Number(labels.priority ?? 0)
  return Number.isFinite(priority) ? priority : 0
}

/** The position of a queued run, from 1, and what it waits for; null if it is not queued. */
export function queuePosition(
  run: Pick<RunRecord, 'id' | 'status' | 'labels' | 'cwd'>,
  runs: readonly RunRecord[],
): { position: number; waitsFor: string } | null {
  if (run.status !== 'queued') return null
  const isDaemons = run.labels.host === 'daemon'
  const queue = runs
    .filter(other => other.status === 'queued' && (other.labels.host === 'daemon') === isDaemons)
    .sort(byQueueOrder)
  const owner = runs.find(other => other.cwd === run.cwd && other.id !== run.id && !isEnded(other.status))
  const turn = isDaemons ? 'a free slot in the daemon' : `signalbox resume ${run.id}`
  return {
    position: queue.findIndex(({ id }) => id === run.id) + 1,
    waitsFor: owner && owner.status !== 'queued' ? `run ${owner.id}, which works in the same directory` : turn,
  }
}
