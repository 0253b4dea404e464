import { existsSync } from 'node:fs'
import { listRuns } from '../../engine/index.js'
import { errorAbout } from '../../errors/index.js'
import type { EventStore } from '../../store/index.js'

/** After these events the worktree of a run has the files that its worker saved. */
const WORKTREE_UPDATE_EVENTS = [
  'run.waiting',
  'run.paused',
  'run.completed',
  'run.failed',
  'run.rejected',
  'run.cancelled',
]

export interface WorktreeUpdatesOptions {
  store: EventStore
  /** Has no effect for a run whose worktree is on another machine. */
  updateWorktree(run: string): Promise<void>
  onError(error: unknown): void
}

/**
 * Updates the worktrees on this machine of runs that other servers drive, also of those that ended
 * while this server was away.
 * @returns what ends it.
 */
export async function followWorktreeUpdates({
  store,
  updateWorktree,
  onError,
}: WorktreeUpdatesOptions): Promise<() => void> {
  const update = (run: string) => updateWorktree(run).catch(error => onError(errorAbout(run, error)))
  const after = await store.head()
  const subscription = store.subscribe({ after, types: WORKTREE_UPDATE_EVENTS, onError }, events => {
    for (const { stream } of events) void update(stream.slice('run/'.length))
  })
  const missed = (await listRuns(store)).filter(({ placement, cwd }) => placement !== null && existsSync(cwd))
  void (async () => {
    for (const { id } of missed) await update(id)
  })()
  return () => subscription.close()
}
