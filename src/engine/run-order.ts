import { isEnded } from './run-status-table.js'
import type { RunRecord } from './runs-projection.js'

/** Whose turn it is: a higher `priority` label first, then the older. */
export function byTurn(a: RunRecord, b: RunRecord): number {
  return priorityOf(b) - priorityOf(a) || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)
}

function priorityOf({ labels }: RunRecord): number {
  const priority = Number(labels.priority ?? 0)
  return Number.isFinite(priority) ? priority : 0
}

/** Where a queued run stands, from 1 on, and what it waits for; null for one that is not queued. */
export function queuePlace(run: RunRecord, runs: readonly RunRecord[]): { place: number; waitsFor: string } | null {
  if (run.status !== 'queued') return null
  const isDaemons = run.labels.host === 'daemon'
  const queue = runs
    .filter(other => other.status === 'queued' && (other.labels.host === 'daemon') === isDaemons)
    .sort(byTurn)
  const owner = runs.find(other => other.cwd === run.cwd && other.id !== run.id && !isEnded(other.status))
  const turn = isDaemons ? 'a free place at the daemon' : `signalbox resume ${run.id}`
  return {
    place: queue.findIndex(({ id }) => id === run.id) + 1,
    waitsFor: owner && owner.status !== 'queued' ? `run ${owner.id}, which works in the same directory` : turn,
  }
}
