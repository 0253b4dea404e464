import type { AmbiguousWidth } from '../text/index.js'
import type { ColorState } from './colors.js'
import type { Progress, Row } from './frame.js'
import { DEFAULT_FRAME_SETTINGS, type FrameSettings, type FrameTimingState } from './frame-timing.js'
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
  settings?: Partial<FrameSettings>
  /** The reply to XTVERSION. */
  version?: string
  /** The name of this machine: a working directory that names another host is ignored. */
  hostname?: string
}

export type ResolvedOptions = Required<Omit<EmulatorOptions, 'settings'>> & { settings: FrameSettings }

/** Larger terminals are clamped. */
export const SIZE_MAX = 500

const DEFAULT_OPTIONS = { scrollback: 5000, ambiguous: 1, version: '0.0.0', hostname: '' } as const

export function resolveOptions(options: EmulatorOptions): ResolvedOptions {
  return {
    ...DEFAULT_OPTIONS,
    ...options,
    ...clampSize(options.cols, options.rows),
    settings: { ...DEFAULT_FRAME_SETTINGS, ...options.settings },
  }
}

/** At least two columns: a wide character needs both. */
export function clampSize(cols: number, rows: number): { cols: number; rows: number } {
  return { cols: clamp(cols, 2), rows: clamp(rows, 1) }
}

function clamp(value: number, min: number): number {
  return Math.min(SIZE_MAX, Math.max(min, Math.trunc(value) || min))
}

export interface EmulatorCounters {
  /** Our parser hooks that threw an exception. */
  hookFaults: number
  /** Exceptions inside xterm's parser; the rest of that piece of output is lost. */
  parserFaults: number
  oversizedPayloads: number
  unknownOsc: number
  refusedLinks: number
  invalidStatus: number
}

export const EMULATOR_STATE_VERSION = 1

export interface EmulatorState {
  version: typeof EMULATOR_STATE_VERSION
  options: ResolvedOptions
  grid: GridState
  ids: RowIdState
  links: [number, string][]
  modes: number[]
  ansiModes?: number[]
  keyboard: KittyKeyboardState
  colors: ColorState
  title: TitleState
  progress: Progress | null
  status: ProgramStatus
  timing: FrameTimingState
  time: number
  suppressedUntil: number
  seq: number
  /** Rows of the last frame of each buffer, to recognise rows that have not changed. */
  lastRows: { normal: Row[]; alternate: Row[] }
  /** Bytes of an incomplete sequence and of an incomplete character, in base64. */
  unfinished: { sequence: string; character: string }
}
