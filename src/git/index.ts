export { addWorktree } from './add-worktree.js'
export { type FileState, Git } from './git.js'
