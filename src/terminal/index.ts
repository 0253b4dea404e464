/*
 * Terminals: bytes become frames. The emulator is deterministic: it has no clock, every call passes
 * the time, so that a recording gives the same frames again.
 *
 *   PTY ─► TerminalEmulator   xterm.js as a parser and grid                        emulator.ts
 *            ├ replies, private-modes, kitty-keyboard   answers to the program's questions
 *            ├ osc-evidence, shell-marks, program-status   what programs report by escape sequences
 *            ├ row-ids, row-changes    rows keep their identity when they scroll
 *            └ frame-timing, FrameCoalescer   when the program has finished drawing
 *
 * - frame.ts is the result; frame-ansi.ts and text-frame.ts convert it.
 * - pty/ starts programs in a pseudo-terminal (an entry point of its own). recording/ reads and
 *   writes asciicast files (another one).
 * - print-plain-text.ts is the fast path for output without escape sequences.
 */

export { childEnvironment } from './child-environment.js'
export { TerminalEmulator, type TerminalEvent, type TerminalEvidence } from './emulator.js'
export { type EmulatorOptions, type EmulatorState, SIZE_MAX } from './emulator-state.js'
export type { Color, Frame, Row, Span } from './frame.js'
export { frameToAnsi, rowToAnsi } from './frame-ansi.js'
export { FrameCoalescer } from './frame-timing.js'

export { memoizeByObject } from './memoize-by-object.js'

export {
  aggregateStatus,
  EMPTY_PROGRAM_STATUS,
  openRecords,
  type ProgramStatus,
  type StatusRecord,
  statusRecords,
} from './program-status.js'
export { createMask, type RowMask, rowChanges } from './row-changes.js'
export { hashText } from './row-hash.js'
export { ALTERNATE_FIRST_ID } from './row-ids.js'
export { hasSameContent } from './same-content.js'
export {
  INITIAL_SHELL_STATE,
  reduceShellMark,
  type ShellMark,
  type ShellState,
} from './shell-marks.js'
export { DEFAULT_STYLE, frameFromText } from './text-frame.js'
