/*
 * The worktrees that runs have created: which ones exist, what should become of each (its fate),
 * and removing them without losing uncommitted work.
 */

export { emptyTrash, listTrash, removeWorktree, TRASH_MS, type TrashEntry } from './remove-worktree.js'
export { fateOf, WORKTREE_FATE_RULES, type WorktreeFacts, type WorktreeFate } from './worktree-fate-table.js'
export { type LedgerOptions, type WorktreeEntry, worktreeLedger } from './worktree-ledger.js'
