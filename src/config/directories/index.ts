export { type Directories, resolveDirectories } from '../paths.js'
