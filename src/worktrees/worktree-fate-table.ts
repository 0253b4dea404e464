import type { RunStatus } from '../engine/index.js'

/** What is known of a worktree when it is asked what should become of it. */
export interface WorktreeFacts {
  /** Of the run that made it; null where no run is known by its name. */
  runStatus: RunStatus | null
  isThere: boolean
  /** Files that no commit has. */
  dirty: number
  /**
   * Commits that the run made on its branch, and whether they are in what the project has checked
   * out.
   */
  ahead: number
  isMerged: boolean
  /** Since anything in it was last used. */
  idleMs: number
}

/**
 * - `busy`: a run works in it, or may go on in it: never touched
 * - `gone`: its directory vanished: the entry is pruned, the branch stays
 * - `needless`: nothing in it is not elsewhere: taken away
 * - `forgotten`: clean, but not merged, and nobody came back: its removal is suggested, the branch
 *   stays
 * - `kept`: clean and not merged
 * - `dirty`: only a person takes it away, and only after it was saved
 */
export type WorktreeFate = 'busy' | 'gone' | 'needless' | 'forgotten' | 'kept' | 'dirty'

/** A run that failed can be resumed, and finds its work where it left it. */
const MAY_GO_ON: readonly (RunStatus | null)[] = ['queued', 'running', 'waiting', 'paused', 'failed']

/** The first row that holds. */
const ROWS: readonly [fate: WorktreeFate, holds: (facts: WorktreeFacts, keepMs: number) => boolean][] = [
  ['gone', ({ isThere }) => !isThere],
  ['busy', ({ runStatus }) => MAY_GO_ON.includes(runStatus)],
  ['dirty', ({ dirty }) => dirty > 0],
  ['needless', ({ isMerged, ahead }) => isMerged || ahead === 0],
  ['forgotten', ({ idleMs }, keepMs) => idleMs >= keepMs],
]

export function fateOf(facts: WorktreeFacts, keepMs: number): WorktreeFate {
  return ROWS.find(([, holds]) => holds(facts, keepMs))?.[0] ?? 'kept'
}
