export { type Directories, resolveDirectories, socketPath } from '../paths.js'
