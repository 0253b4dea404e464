export { addWorktree } from './add-worktree.js'
export { type FileStatus, Git } from './git.js'
