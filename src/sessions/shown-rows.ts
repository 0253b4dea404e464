import type { Look } from '../panes/index.js'
import { type KeptRow, mergeWindow, type Pack, realignWindow, type TextRow, transcriptBlocks } from '../screen/index.js'
import { ALTERNATE_FIRST_ID, type Color, type Row } from '../terminal/index.js'
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
} from './picture.js'

export interface RowSource {
  readRows(firstId: number, lastId: number): Row[]
}

/** For a later host: the rows of a program on the alternate screen, which no terminal keeps. */
export interface ShownState {
  base: number
  /** Index of the row that is first on the screen, and the texts it begins with. */
  top: number
  head: string[]
  cols: number
  rows: KeptRow[]
  /** Rows that the last picture left out at its end. */
  tail?: KeptRow[]
}

/** Rows of an alternate screen that are kept; older ones are in the agent's own transcript. */
const KEPT_ROWS = 2000
/** Rows that appear so soon after a resize may be a second copy of those above. */
const REPAINT_S = 1
const WIDTHS = 8

/**
 * What an agent has shown above its live part, as rows with ids that stay. In the normal buffer the terminal keeps them. On the alternate
 * screen they are kept here, laid together from one picture to the next.
 */
export class ShownRows {
  readonly #pack: Pack
  readonly #source: RowSource
  #kept: ShownState
  #look: Look | null = null
  #echo: Echo | null = null
  /** There was one, and the program has cleared it away: it may be about to print it again. */
  #isEchoLost = false
  /** Above this row a lost prompt was looked for in vain; rows that are printed again have ids of their own. */
  #searchedTo: number | null = null
  #widths: number[] = []
  /** The background of prompts, where they have one: a long prompt is told by it when its first row is out of sight. */
  #echoBackground: Color = null
  #repaints: { first: number; last: number; until: number }[] = []

  constructor(pack: Pack, source: RowSource, state: ShownState = { base: 0, top: 0, head: [], cols: 0, rows: [] }) {
    this.#pack = pack
    this.#source = source
    this.#kept = state
  }

  get state(): ShownState {
    const from = this.#kept.rows.findLastIndex(row => row.isEcho)
    const cut = Math.max(0, from)
    return { ...this.#kept, base: this.#kept.base + cut, top: this.#kept.top - cut, rows: this.#kept.rows.slice(cut) }
  }

  /** The newest prompt of the transcript. */
  get echo(): Echo | null {
    return this.#echo
  }

  /** Widths of the screen since the newest prompt, the present one first. */
  get widths(): readonly number[] {
    return this.#widths
  }

  /** The newest picture shows the end of the transcript. */
  get isWhole(): boolean {
    return this.#look === null || this.#look.frame.buffer === 'normal' || !isScrolled(this.#look)
  }

  /** A look that was observed already tells nothing more. */
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

  /** A copy printed by a repaint stands for the same prompt. */
  isRepaint(id: number): boolean {
    return this.#repaints.some(({ first, last }) => id >= first && id <= last)
  }

  /** Whether the same prompt still stands at this row. */
  isEchoAt(id: number, { first, last, text }: Echo): boolean {
    return echoText(this.rows(id, id + last - first)) === text
  }

  /** Rows from here to the live part. */
  rowsFrom(id: number): TextRow[] {
    if (!this.#look) return []
    return this.rows(id, id >= ALTERNATE_FIRST_ID ? keptEnd(this.#kept) : contentEnd(this.#look, this.#kept))
  }

  rows(firstId: number, lastId: number): TextRow[] {
    // An id says where its row is kept: a program that has left the alternate screen has said there what it has said.
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
    // A prompt that is new is seen when it appears; above the screen one is looked for only where it may have got there unseen.
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

  /** A prompt that the terminal no longer keeps has not been cleared away: its answer is longer than that. */
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

/** A kept row under its id: the same object as long as both are the same. */
function withId(kept: KeptRow, id: number): TextRow {
  const known = named.get(kept)
  if (known?.id === id) return known
  const row = { ...kept.row, id }
  named.set(kept, row)
  return row
}

function keptEnd(kept: ShownState): number {
  return ALTERNATE_FIRST_ID + kept.base + kept.rows.length - 1
}

/** Id of the last row above the live part. */
function contentEnd(look: Look, kept: ShownState): number {
  const { frame } = look
  if (frame.buffer === 'alternate') return keptEnd(kept)
  return frame.lines[liveStart(look) - 1]?.id ?? frame.history.lastId
}
