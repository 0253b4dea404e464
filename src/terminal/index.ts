export { childEnvironment } from './child-environment.js'
export { type Evidence, TerminalEmulator, type TerminalEvent } from './emulator.js'
export { type EmulatorOptions, type EmulatorState, SIZE_MAX } from './emulator-state.js'
export type { Color, Frame, Row, Span } from './frame.js'
export { frameToAnsi, rowToAnsi } from './frame-ansi.js'
export { FrameCoalescer } from './frame-coalescer.js'

export { memoizeByObject } from './memoize-by-object.js'

export { aggregateStatus, openRecords, type ProgramStatus, type StatusRecord } from './program-status.js'
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
