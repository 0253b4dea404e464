export { resolveDirectories, socketPath } from '../paths.js'
