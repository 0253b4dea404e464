import type { ProgramStatus, Row } from '../terminal/index.js'
import type { Look } from './pane-screen.js'
import type { SettleSettings } from './settle.js'

/** The keyboard modes of the program. */
export interface KeyModes {
  isBracketedPaste: boolean
  isApplicationCursor: boolean
}

/**
 * A screen as its readers use it: the `PaneScreen` itself, or a `ScreenMirror` of one that is read
 * elsewhere.
 */
export interface ScreenView {
  readonly last: Look | null
  readonly modes: KeyModes
  /** What programs have reported about themselves (OSC 7501). */
  readonly programStatus: ProgramStatus
  /** Rows by id, both ends included, as far as they still exist. */
  readRows(firstId: number, lastId: number): Row[]
  /** Rows above this one will no longer be read. */
  release?(firstId: number): void
  /** Keys or text went to the program. */
  recordInput(t: number): void
  /** How long an idle state must last. */
  settleBy(settings: SettleSettings): void
  /** For a pane that flickers: until then an idle state must last this long. */
  requireIdleFor(seconds: number, until: number): void
}
