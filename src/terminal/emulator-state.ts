import type { AmbiguousWidth } from '../text/index.js'
import type { ColorState } from './colors.js'
import type { Progress, Row } from './frame.js'
import { DEFAULT_FRAME_KNOBS, type FrameKnobs, type FrameTimingState } from './frame-timing.js'
import type { GridState } from './grid-state.js'
import type { KittyKeyboardState } from './kitty-keyboard.js'
import type { TitleState } from './osc-evidence.js'
import type { ProgramStatus } from './program-status.js'
import type { RowIdState } from './row-ids.js'

export interface EmulatorOptions {
  cols: number
  rows: number
  /** Live rows above the viewport; older text is in the recording. */
  scrollback?: number
  /** Columns of East Asian ambiguous characters. */
  ambiguous?: AmbiguousWidth
  knobs?: Partial<FrameKnobs>
  /** What XTVERSION says. */
  version?: string
  /** This machine's name: a working directory of another host is none of ours. */
  hostname?: string
}

export type ResolvedOptions = Required<Omit<EmulatorOptions, 'knobs'>> & { knobs: FrameKnobs }

/** Larger terminals are clamped (security.md 9). */
export const SIZE_MAX = 500

const DEFAULT_OPTIONS = { scrollback: 2000, ambiguous: 1, version: '0.0.0', hostname: '' } as const

export function resolveOptions(options: EmulatorOptions): ResolvedOptions {
  return {
    ...DEFAULT_OPTIONS,
    ...options,
    ...clampSize(options.cols, options.rows),
    knobs: { ...DEFAULT_FRAME_KNOBS, ...options.knobs },
  }
}

/** A wide character needs two columns, so fewer are none. */
export function clampSize(cols: number, rows: number): { cols: number; rows: number } {
  return { cols: clamp(cols, 2), rows: clamp(rows, 1) }
}

function clamp(value: number, min: number): number {
  return Math.min(SIZE_MAX, Math.max(min, Math.trunc(value) || min))
}

export interface EmulatorCounters {
  /** Parser hooks of ours that threw. */
  hookFaults: number
  /** Exceptions inside xterm's parser; the rest of that piece of output was lost. */
  parserFaults: number
  oversizedPayloads: number
  unknownOsc: number
  refusedLinks: number
  invalidStatus: number
}

export const EMULATOR_STATE_VERSION = 1

/** Everything of an emulator, as JSON: see `TerminalEmulator.serialize`. */
export interface EmulatorState {
  version: typeof EMULATOR_STATE_VERSION
  options: ResolvedOptions
  grid: GridState
  ids: RowIdState
  links: [number, string][]
  modes: number[]
  keyboard: KittyKeyboardState
  colors: ColorState
  title: TitleState
  progress: Progress | null
  status: ProgramStatus
  timing: FrameTimingState
  time: number
  heldUntil: number
  seq: number
  /** Rows of the last frame of each buffer, so that rows which have not changed are known to be old. */
  lastRows: { normal: Row[]; alternate: Row[] }
  /** Bytes of a sequence and of a character that are not complete yet, in base64. */
  unfinished: { sequence: string; character: string }
}
