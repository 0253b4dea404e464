import type { Clock } from '../clock/index.js'
import type { Home } from '../host/home/index.js'
import type { EventStore } from '../store/index.js'
import { findWorktrees, type WorktreeEntry } from '../worktrees/index.js'

const DAY_MS = 24 * 3_600_000
const DEFAULT_KEEP_DAYS = 14

/** The worktrees that runs have left: how old, merged or not; with `isMeasured` also how large. */
export function listWorktrees(
  { store, home, clock }: { store: EventStore; home: Home; clock: Clock },
  { isMeasured }: { isMeasured: boolean },
): Promise<WorktreeEntry[]> {
  const { dataDirectory } = home.settings
  return findWorktrees({ store, clock, dataDirectory, keepMs: retentionMs(home), isMeasured })
}

/** A worktree does not record its profile, so the longest time of all profiles counts. */
function retentionMs({ loaded: { config } }: Home): number {
  const days = Object.values(config.profiles).map(profile => profile.cleanup_days)
  return Math.max(...(days.length > 0 ? days : [DEFAULT_KEEP_DAYS])) * DAY_MS
}
