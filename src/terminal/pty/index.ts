export { spawnPiped } from './pipe.js'
export { type PtyExit, type PtyOptions, type PtyProcess, spawnPty } from './pty.js'
