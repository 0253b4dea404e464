/*
 * A second entry point: where a home directory is, without loading settings. For programs that must
 * start fast.
 */

export { resolveDirectories, socketPath } from '../paths.js'
