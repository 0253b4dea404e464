export { childEnvironment, type EnvironmentRules } from './child-environment.js'
export { type Evidence, TerminalEmulator, type TerminalEvent } from './emulator.js'
export { type EmulatorCounters, type EmulatorOptions, type EmulatorState, SIZE_MAX } from './emulator-state.js'
export type { Color, Frame, FrameCause, Progress, Row, Span } from './frame.js'
export { frameToAnsi, rowToAnsi } from './frame-ansi.js'
export { FrameCoalescer } from './frame-coalescer.js'
export { DEFAULT_FRAME_KNOBS, type FrameKnobs } from './frame-timing.js'
export { memoizeByObject } from './memoize-by-object.js'
export type { OscEvidence } from './osc-evidence.js'
export type { StatusName, StatusRecord } from './program-status.js'
export { createMask, type RowChanges, type RowMask, type RowPair, rowChanges } from './row-changes.js'
export { hashText } from './row-hash.js'
export { ALTERNATE_FIRST_ID } from './row-ids.js'
export { hasSameContent } from './same-content.js'
export {
  INITIAL_SHELL_STATE,
  reduceShellMark,
  type ShellMark,
  type ShellSignal,
  type ShellState,
} from './shell-marks.js'
export { DEFAULT_STYLE, frameFromText } from './text-frame.js'
export { createWidthProvider, type WidthProvider } from './width-provider.js'
