/** The terminal's grid at a moment when the program had finished drawing. */
export interface Frame {
  seq: number
  /** Seconds since the pane's start, from the injected clock. */
  t: number
  cause: FrameCause
  /** True when a synchronized update was cut open because it lasted too long. */
  torn: boolean
  /** True while the picture settles after our own resize: nothing is classified, extracted or sent from it. */
  held: boolean
  /** True for a picture in plain text: it has no colours and nobody knows where its cursor was. */
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
  /** Stable while the row scrolls; fresh ids from 2^40 upward in the alternate buffer. */
  id: number
  /** Trailing blanks are cut; no-break spaces are kept; cells written as invisible read as blanks. */
  text: string
  /** Columns up to the last visible cell. Blanks with a background, inverse or underlined are visible, so `text` may be shorter. */
  width: number
  /** The emulator's soft-wrap flag: this row continues the one above it. */
  wrapped: boolean
  /** Cover the columns 0 to `width` without gaps. */
  spans: Span[]
  /** Of `text` alone: a row that was only recoloured keeps its hash. */
  hash: number
  /** The newest frame in which text or style of the row with this id differed from the frame before. */
  changedSeq: number
}

/** A run of cells with one style. `fg` and `bg`: null is the terminal's default, a number below 256 a palette index, else `#rrggbb`. */
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
