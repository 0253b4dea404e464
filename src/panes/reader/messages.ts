import type { Observation, Outline, Pack } from '../../screen/index.js'
import type { EmulatorOptions, Frame, ProgramStatus, Row, TerminalEvidence } from '../../terminal/index.js'
import type { Look } from '../pane-screen.js'
import type { SwitchedOff } from '../rule-time-box.js'
import type { KeyModes } from '../screen-view.js'
import type { SettleSettings } from '../settle.js'

/*
 * What a session and the reader of its terminal send each other: plain data, so that the reader may
 * be in another thread. Requests are handled in the order of the calls. Every `AskingRequest` has
 * exactly one answer, in the same order; output may be answered in several parts or together with
 * the output behind it.
 */

export type ReaderRequest =
  | { op: 'feed'; bytes: Uint8Array; t: number; offset: number; isLive: boolean }
  | AskingRequest
  | { op: 'input'; t: number }
  | { op: 'settle'; settings: SettleSettings }
  | { op: 'require-idle'; seconds: number; until: number }
  /** Rows of the normal buffer above this one are no longer needed. */
  | { op: 'release'; firstId: number }
  /** The pack was loaded again. */
  | { op: 'pack'; pack: Pack }

export type AskingRequest =
  | { op: 'tick'; t: number }
  | { op: 'resize'; cols: number; rows: number; t: number }
  /** Reads the screen as it is, if it was never read. */
  | { op: 'look'; t: number }
  /** Nothing is read: its answer says that everything before was. */
  | { op: 'barrier' }
  /** The state of the reader as JSON. */
  | { op: 'save' }
  /** The screen as bytes that draw it. */
  | { op: 'picture'; hasScrollback: boolean }

export interface ReaderReply {
  /** The time of the request; null if time does not matter to it. */
  t: number | null
  outputs: SentOutput[]
  /** Up to where output was read; null: not by this request. */
  offset: number | null
  /** When to send a tick if nothing comes before. */
  deadline: number | null
  modes: KeyModes
  /** Rules that were too slow and are no longer used. */
  rulesOff?: SwitchedOff[]
  /** It answers an `AskingRequest`, with this result. */
  answer?: { result: string | Picture | null }
}

export type SentOutput =
  | { type: 'reply'; bytes: Uint8Array }
  | { type: 'evidence'; t: number; evidence: TerminalEvidence }
  | { type: 'look'; look: SentLook }

/** A look as the difference to the one before. */
export interface SentLook {
  t: number
  isSettled: boolean
  isConfirmed: boolean
  /** Without its rows, which have consecutive ids. Null, here and below: as before. */
  frame: (Omit<Frame, 'lines'> & { firstId: number; count: number }) | null
  /** Rows of the screen, and rows that have scrolled off it, that are new or have changed. */
  rows: readonly Row[]
  /** All rows that were sent before are outdated. */
  isRedrawn: boolean
  observation: Observation | null
  outline: Outline | null
  atWork: Look['atWork'] | null
}

/** A terminal as it is now, for a viewer that joins. */
export interface Picture {
  cols: number
  rows: number
  title: string
  modes: KeyModes & { isAlternate: boolean }
  /** Bytes that draw the screen on an empty terminal. */
  data: string
}

/** What a reader is opened with. */
export interface ReaderOptions {
  pack: Pack
  emulator: EmulatorOptions
  /**
   * What a reader saved: its state as JSON, what programs had reported (OSC 7501), and the first
   * row that is needed of it.
   */
  restored: { state: string; status: ProgramStatus; firstRow: number } | null
}
