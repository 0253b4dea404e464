/*
 * Git as a library: the commands that Signalbox runs, with typed results (git.ts). add-worktree.ts
 * retries `git worktree add`, which fails when another process adds one at the same time.
 */

export { addWorktree } from './add-worktree.js'
export { type FileStatus, Git } from './git.js'
export { distrustRepository } from './safe-arguments.js'
