export { type FileStatus, Git } from './git.js'
