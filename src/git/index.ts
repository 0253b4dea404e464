/*
 * Git as a library: the commands that Signalbox runs, with typed results (git.ts). Concurrent
 * `git worktree add` calls are serialised per repository (add-worktree.ts).
 */

export { addWorktree } from './add-worktree.js'
export { type FileStatus, Git } from './git.js'
export { distrustRepository } from './safe-arguments.js'
