import type { Look } from '../../panes/index.js'
import {
  type KeptRow,
  mergeWindow,
  type Pack,
  realignWindow,
  type TextRow,
  transcriptBlocks,
} from '../../screen/index.js'
import { ALTERNATE_FIRST_ID, type Color, type Row } from '../../terminal/index.js'
import {
  type Echo,
  echoBackground,
  echoOf,
  echoText,
  isEcho,
  isScrolled,
  isTranscript,
  liveStart,
  windowOf,
} from './conversation-window.js'

export interface RowSource {
  readRows(firstId: number, lastId: number): Row[]
}

/**
 * For the next host: the rows of a program on the alternate screen, which the terminal does not
 * keep.
 */
export interface ConversationRowsState {
  base: number
  /** Index of the first row on screen, and the texts of the screen's first rows. */
  top: number
  head: string[]
  cols: number
  rows: KeptRow[]
  /** Rows that the last frame left out at its end. */
  tail?: KeptRow[]
}

/** How many rows of an alternate screen are kept; the agent's own transcript has older ones. */
const KEPT_ROWS = 2000
/** Rows that appear this soon after a resize may be a second copy of the rows above. In seconds. */
const REPAINT_S = 1
const WIDTHS = 8

/**
 * The rows that an agent has shown above the live part of its screen, with stable ids. In the
 * normal buffer the terminal keeps them. On the alternate screen this class keeps them and aligns
 * each frame with the rows that it already has.
 */
export class ConversationRows {
  readonly #pack: Pack
  readonly #source: RowSource
  #kept: ConversationRowsState
  #look: Look | null = null
  #echo: Echo | null = null
  /** The program has cleared its prompt from the screen: it may be about to print it again. */
  #isEchoLost = false
  /** Rows above this one do not hold the lost prompt; rows that are printed again get new ids. */
  #searchedTo: number | null = null
  #widths: number[] = []
  /**
   * The background of prompts, if they have one: it identifies a long prompt whose first row is out
   * of sight.
   */
  #echoBackground: Color = null
  #repaints: { first: number; last: number; until: number }[] = []

  constructor(
    pack: Pack,
    source: RowSource,
    state: ConversationRowsState = { base: 0, top: 0, head: [], cols: 0, rows: [] },
  ) {
    this.#pack = pack
    this.#source = source
    this.#kept = state
  }

  get state(): ConversationRowsState {
    const from = this.#kept.rows.findLastIndex(row => row.isEcho)
    const cut = Math.max(0, from)
    return { ...this.#kept, base: this.#kept.base + cut, top: this.#kept.top - cut, rows: this.#kept.rows.slice(cut) }
  }

  /** The newest prompt of the conversation. */
  get echo(): Echo | null {
    return this.#echo
  }

  /** Widths of the screen since the newest prompt, the current one first. */
  get widths(): readonly number[] {
    return this.#widths
  }

  /** The newest frame shows the end of the conversation. */
  get isWhole(): boolean {
    return this.#look === null || this.#look.frame.buffer === 'normal' || !isScrolled(this.#look)
  }

  /** The first row on screen: the rows above it do not change any more. */
  get screenStart(): number {
    const frame = this.#look?.frame
    if (frame?.buffer === 'alternate') return ALTERNATE_FIRST_ID + this.#kept.base + this.#kept.top
    return frame?.lines[0]?.id ?? 0
  }

  /** Observing the same look again does nothing. */
  observe(look: Look): void {
    const before = this.#look
    if (look === before) return
    this.#noteSize(look, before)
    this.#look = look
    if (look.frame.buffer === 'alternate') {
      if (isTranscript(look)) this.#keep(look)
      this.#setEcho(this.#keptEcho())
    } else this.#setEcho(this.#normalEcho(look, before))
  }

  /** The row belongs to a copy that a repaint printed: a prompt in it is the same prompt. */
  isRepaint(id: number): boolean {
    return this.#repaints.some(({ first, last }) => id >= first && id <= last)
  }

  /** Whether the same prompt is still at this row. */
  isEchoAt(id: number, { first, last, text }: Echo): boolean {
    return echoText(this.rows(id, id + last - first)) === text
  }

  /** Rows from this one to the live part. */
  rowsFrom(id: number): TextRow[] {
    if (!this.#look) return []
    return this.rows(id, id >= ALTERNATE_FIRST_ID ? keptEnd(this.#kept) : contentEnd(this.#look, this.#kept))
  }

  rows(firstId: number, lastId: number): TextRow[] {
    // The id says where the row is kept, also after the program has left the alternate screen.
    if (firstId < ALTERNATE_FIRST_ID && this.#look?.frame.buffer !== 'alternate') {
      const rows: TextRow[] = this.#source.readRows(firstId, lastId)
      const isCut = rows.length > 0 && rows[0]!.id > firstId && firstId < (this.#look?.frame.history.firstId ?? 0)
      return isCut ? [{ ...rows[0]!, hasGap: true }, ...rows.slice(1)] : rows
    }
    const start = ALTERNATE_FIRST_ID + this.#kept.base
    const kept = this.#kept.rows.slice(Math.max(0, firstId - start), Math.max(0, lastId - start + 1))
    return kept.map((row, index) => withId(row, Math.max(firstId, start) + index))
  }

  #noteSize({ frame, t }: Look, before: Look | null): void {
    const old = before?.frame
    if (!this.#widths.includes(frame.cols)) this.#widths = [frame.cols, ...this.#widths].slice(0, WIDTHS)
    else if (this.#widths[0] !== frame.cols)
      this.#widths = [frame.cols, ...this.#widths.filter(cols => cols !== frame.cols)]
    for (const repaint of this.#repaints) if (t <= repaint.until) repaint.last = frame.lines.at(-1)?.id ?? repaint.last
    if (!old || (old.cols === frame.cols && old.rows === frame.rows)) return
    const first = Math.min(frame.lines[0]?.id ?? 0, old.lines[0]?.id ?? 0)
    this.#repaints = [
      ...this.#repaints.slice(-7),
      { first, last: frame.lines.at(-1)?.id ?? first, until: t + REPAINT_S },
    ]
  }

  #setEcho(echo: Echo | null): void {
    const isNew = echo?.text !== this.#echo?.text
    this.#isEchoLost = echo === null && (this.#echo !== null || this.#isEchoLost)
    this.#echo = echo
    if (echo) this.#searchedTo = null
    if (isNew && this.#look) this.#widths = [this.#look.frame.cols]
  }

  #normalEcho({ frame, layout }: Look, before: Look | null): Echo | null {
    const shown = layout.blocks.findLast(block => isEcho(block, this.#pack))
    if (shown) return echoOf(frame.lines, shown)
    // A new prompt is seen when it appears. The rows above the screen are searched only if a prompt
    // may have scrolled there unseen.
    const isRepainting = this.#repaints.some(repaint => this.#look!.t <= repaint.until)
    const hasJumped = (frame.lines[0]?.id ?? 0) > (before?.frame.lines.at(-1)?.id ?? -1) + 1
    const isKnown = this.#echo === null ? !this.#isEchoLost : this.#isStill(this.#echo, frame.history.firstId)
    const isSame = !hasJumped && !isRepainting
    if (isSame && isKnown) return this.#echo
    const from = isSame ? Math.max(frame.history.firstId, this.#searchedTo ?? 0) : frame.history.firstId
    this.#searchedTo = frame.lines[0]?.id ?? null
    const rows = this.#source.readRows(from, contentEnd(this.#look!, this.#kept))
    const found = transcriptBlocks(rows, this.#pack).findLast(block => isEcho(block, this.#pack))
    return found ? echoOf(rows, found) : null
  }

  /**
   * A prompt that the terminal no longer keeps was not cleared: its answer is longer than the
   * scrollback.
   */
  #isStill({ first, last, text }: Echo, oldest: number): boolean {
    if (first >= ALTERNATE_FIRST_ID) return false
    return first < oldest || echoText(this.#source.readRows(first, last)) === text
  }

  #keep(look: Look): void {
    const shown = look.layout.blocks.find(block => isEcho(block, this.#pack))
    if (shown) this.#echoBackground = echoBackground(look, this.#pack)
    const window = windowOf(look, this.#pack, this.#echoBackground)
    if (window.length === 0) return
    const { rows, base, cols } = this.#kept
    const isRewrapped = cols !== 0 && cols !== look.frame.cols
    const laid = (isRewrapped && realignWindow(rows, window, this.#kept.head)) || mergeWindow(rows, window, this.#kept)
    const cut = Math.max(0, laid.rows.length - KEPT_ROWS)
    this.#kept = {
      base: base + cut,
      top: laid.top - cut,
      head: laid.head,
      cols: look.frame.cols,
      rows: cut > 0 ? laid.rows.slice(cut) : laid.rows,
      ...(laid.tail?.length && { tail: laid.tail }),
    }
  }

  #keptEcho(): Echo | null {
    const { rows, base } = this.#kept
    const last = rows.findLastIndex(row => row.isEcho)
    if (last < 0) return null
    let first = last
    while (first > 0 && rows[first - 1]!.isEcho) first--
    const start = ALTERNATE_FIRST_ID + base
    return {
      first: start + first,
      last: start + last,
      text: echoText(rows.slice(first, last + 1).map(kept => kept.row)),
    }
  }
}

const named = new WeakMap<KeptRow, TextRow>()

/** A kept row with its id: the same object as long as row and id are the same. */
function withId(kept: KeptRow, id: number): TextRow {
  const known = named.get(kept)
  if (known?.id === id) return known
  const row = { ...kept.row, id }
  named.set(kept, row)
  return row
}

function keptEnd(kept: ConversationRowsState): number {
  return ALTERNATE_FIRST_ID + kept.base + kept.rows.length - 1
}

/** Id of the last row above the live part. */
function contentEnd(look: Look, kept: ConversationRowsState): number {
  const { frame } = look
  if (frame.buffer === 'alternate') return keptEnd(kept)
  return frame.lines[liveStart(look) - 1]?.id ?? frame.history.lastId
}
