/*
 * Workspaces of runs: creating them (create-workspace.ts), which worktrees exist
 * (worktree-list.ts), what should become of each (its fate), and removing them without losing
 * uncommitted work.
 */

export {
  createWorkspace,
  discardWorkspace,
  ensureWorkspace,
  freeBranch,
  requireCommit,
  workspaceBranch,
  worktreePath,
  worktreesDirectory,
} from './create-workspace.js'
export { emptyTrash, listTrash, removeWorktree, TRASH_MS } from './remove-worktree.js'
export { fateOf, WORKTREE_FATE_RULES, type WorktreeFacts, type WorktreeFate } from './worktree-fate-table.js'
export { findWorktrees, type WorktreeEntry } from './worktree-list.js'
