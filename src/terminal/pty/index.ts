/*
 * Starts programs: pty.ts in a pseudo-terminal, pipe.ts on pipes, for programs that speak a
 * protocol. output-rate.ts slows a program that prints without end. Only the keeper uses this
 * folder.
 */

export { spawnPiped } from './pipe.js'
export { type PtyExit, type PtyOptions, type PtyProcess, spawnPty } from './pty.js'
