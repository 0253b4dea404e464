/** The terminal's grid at a moment when the program had finished drawing. */
export interface Frame {
  seq: number
  /** Seconds since the start of the pane, from the injected clock. */
  t: number
  cause: FrameCause
  /** True when a synchronized update lasted too long and was cut. */
  torn: boolean
  /** True shortly after our own resize: nothing is read or sent from such a frame. */
  suppressed: boolean
  /** True for a frame made from plain text: it has no colours and no known cursor position. */
  isPlainText?: boolean
  cols: number
  rows: number
  buffer: 'normal' | 'alternate'
  cursor: { x: number; y: number; visible: boolean }
  title: string
  progress: Progress | null
  /** The viewport, top to bottom. */
  lines: Row[]
  /** Rows above the viewport, read on demand; none when `lastId < firstId`. */
  history: { firstId: number; lastId: number }
}

export type FrameCause = 'sync' | 'quiet' | 'cap' | 'forced'

export interface Row {
  /**
   * Stable while the row scrolls. Ids of the alternate buffer start at 2^40 and are never reused.
   */
  id: number
  /** Trailing blanks are cut; no-break spaces are kept; invisible cells read as blanks. */
  text: string
  /** Columns up to the last visible cell; styled blanks count, so `text` may be shorter. */
  width: number
  /** The emulator's soft-wrap flag: this row continues the one above it. */
  wrapped: boolean
  /** The program wrote plain blanks after the text, up to the last column. */
  filled?: boolean
  /** Cover the columns 0 to `width` without gaps. */
  spans: Span[]
  /** Hash of `text` alone: a row that only changed its colours keeps it. */
  hash: number
  /** The newest frame in which the row's text or style differed from the one before. */
  changedSeq: number
}

/** A run of cells of one style. Colours: null default, below 256 palette, else `#rrggbb`. */
export interface Span {
  x: number
  width: number
  text: string
  fg: Color
  bg: Color
  bold: boolean
  dim: boolean
  italic: boolean
  underline: boolean
  inverse: boolean
  strike: boolean
  link?: string
}

export type Color = null | number | `#${string}`

/** OSC 9;4 as the program last reported it. */
export interface Progress {
  state: 'value' | 'error' | 'busy' | 'paused'
  percent: number | null
}
