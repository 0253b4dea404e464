export { type FileState, Git } from './git.js'
