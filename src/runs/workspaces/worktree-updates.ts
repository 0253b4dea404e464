import { existsSync } from 'node:fs'
import type { Clock, Timer } from '../../clock/index.js'
import { listRuns } from '../../engine/index.js'
import { errorAbout } from '../../errors/index.js'
import { isBlobsAway } from '../../store/blobs/index.js'
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

/** How soon an update that waits for the blob store is tried again. */
const BLOBS_RETRY_MS = 10_000

export interface WorktreeUpdatesOptions {
  store: EventStore
  clock: Clock
  /** Has no effect for a run whose worktree is on another machine. */
  updateWorktree(run: string): Promise<void>
  onError(error: unknown): void
}

/**
 * Updates the worktrees on this machine of runs that other servers drive, also of those that ended
 * while this server was away. What waits for the blob store is tried again.
 * @returns what ends it.
 */
export async function followWorktreeUpdates({
  store,
  clock,
  updateWorktree,
  onError,
}: WorktreeUpdatesOptions): Promise<() => void> {
  const retries = new Map<string, Timer>()
  let isClosed = false
  const update = (run: string): Promise<void> =>
    updateWorktree(run).catch(error => {
      if (!isBlobsAway(error)) return onError(errorAbout(run, error))
      retries.get(run)?.cancel()
      if (!isClosed)
        retries.set(
          run,
          clock.setTimer(BLOBS_RETRY_MS, () => void update(run)),
        )
    })
  const after = await store.head()
  const subscription = store.subscribe({ after, types: WORKTREE_UPDATE_EVENTS, onError }, events => {
    for (const { stream } of events) void update(stream.slice('run/'.length))
  })
  const missed = (await listRuns(store)).filter(({ placement, cwd }) => placement !== null && existsSync(cwd))
  void (async () => {
    for (const { id } of missed) await update(id)
  })()
  return () => {
    isClosed = true
    for (const retry of retries.values()) retry.cancel()
    subscription.close()
  }
}
