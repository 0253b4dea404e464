import type { Look } from '../../panes/index.js'
import {
  BLOCK_MARK,
  cutRow,
  type KeptRow,
  mergeWindow,
  type Pack,
  realignWindow,
  type TextRow,
  transcriptBlocks,
  withoutClock,
} from '../../screen/index.js'
import { ALTERNATE_FIRST_ID, type Color, type Row } from '../../terminal/index.js'

export interface RowSource {
  readRows(firstId: number, lastId: number): Row[]
  /** Rows above this one will no longer be read. */
  release?(firstId: number): void
}

/** For the next host: rows of the alternate screen, which the terminal does not keep. */
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
const KEPT_ROWS = 5000
/**
 * Rows that appear this soon after a resize may be a second copy of the rows above, and after this
 * time a program that has cleared its scrollback has printed everything again. In seconds.
 */
const REPAINT_S = 1
const WIDTHS_KEPT = 8
/** A program that prints more rows than this between two looks floods the screen. */
const UNSEEN_ROWS_MAX = 1000

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
  /** The background of prompts, if any: it identifies one whose first row is out of sight. */
  #echoBackground: Color = null
  #repaints: { first: number; last: number; until: number }[] = []
  /** When the program was seen to have cleared everything that the last look showed. */
  #clearedT: number | null = null
  /** The last row of the screen that the program has cleared with everything above it. */
  #clearedTo = -1

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

  /** The first row on screen: the rows above it no longer change. */
  get screenStart(): number {
    const frame = this.#look?.frame
    if (frame?.buffer === 'alternate') return ALTERNATE_FIRST_ID + this.#kept.base + this.#kept.top
    return frame?.lines[0]?.id ?? 0
  }

  /** Observing the same look again does nothing. */
  observe(look: Look): void {
    const before = this.#look
    if (look === before || this.isPrintingAgain(look)) return
    this.#clearedT = null
    if (isCleared(look, before)) this.#clearedTo = before!.frame.lines.at(-1)?.id ?? -1
    this.#recordResize(look, before)
    this.#look = look
    if (look.frame.buffer === 'alternate') {
      if (isTranscript(look)) this.#addLook(look)
      this.#setEcho(this.#keptEcho())
    } else this.#setEcho(this.#normalEcho(look, before))
  }

  /**
   * Some programs clear screen and scrollback and print the whole conversation again, at every
   * update of an answer that is taller than the screen. Until their input box is back, the newest
   * prompt on screen is an old one, and the end of the answer is missing: such a look is ignored.
   * A prompt may look like an input box: it is the box only if the newest prompt is back, too.
   */
  isPrintingAgain(look: Look): boolean {
    if (!isCleared(look, this.#look) || (look.outline.hasInput && this.#isPrinted(look))) return false
    this.#clearedT ??= look.t
    return look.t <= this.#clearedT + REPAINT_S
  }

  /** The program has printed the newest prompt again. */
  #isPrinted(look: Look): boolean {
    if (!this.#echo) return true
    const rows = this.#source.readRows(look.frame.history.firstId, contentEnd(look, this.#kept))
    return echoText(rows).includes(this.#echo.text)
  }

  /**
   * The terminal no longer has this row as it was: it has left the scrollback, or the program has
   * cleared it. A cleared row of the screen keeps its id, and the next print writes into it.
   */
  isGone(id: number): boolean {
    const frame = this.#look?.frame
    return frame?.buffer === 'normal' && (id < frame.history.firstId || id <= this.#clearedTo)
  }

  /** A turn starts: rows that were cleared before it no longer count. */
  forgetClear(): void {
    this.#clearedTo = -1
  }

  /** The row belongs to a copy that a repaint printed: a prompt in it is the same prompt. */
  isRepaint(id: number): boolean {
    return this.#repaints.some(({ first, last }) => id >= first && id <= last)
  }

  /** Whether the same prompt is still at this row. */
  isEchoAt(id: number, { first, last, text }: Echo): boolean {
    return echoText(this.rows(id, id + last - first)) === text
  }

  /** Rows above this one will no longer be read. */
  release(id: number): void {
    if (id < ALTERNATE_FIRST_ID) this.#source.release?.(id)
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

  #recordResize({ frame, t }: Look, before: Look | null): void {
    const old = before?.frame
    if (!this.#widths.includes(frame.cols)) this.#widths = [frame.cols, ...this.#widths].slice(0, WIDTHS_KEPT)
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

  #normalEcho(look: Look, before: Look | null): Echo | null {
    const { frame, outline } = look
    const shown = outline.blocks.findLast(block => isEcho(block, this.#pack))
    if (shown) return echoOf(frame.lines, shown)
    const printed = isCleared(look, before) ? this.#searchEcho(frame.history.firstId) : null
    if (printed) return printed
    // A new prompt is seen when it appears. The rows above the screen are searched only if a prompt
    // may have scrolled there unseen.
    const isRepainting = this.#repaints.some(repaint => this.#look!.t <= repaint.until)
    const hasJumped = (frame.lines[0]?.id ?? 0) > (before?.frame.lines.at(-1)?.id ?? -1) + 1
    const isKnown = this.#echo === null ? !this.#isEchoLost : this.#isStill(this.#echo, frame.history.firstId)
    const isSame = !hasJumped && !isRepainting
    if (isSame && isKnown) return this.#echo
    if (before && !isRepainting && isKnown) return this.#unseenEcho(frame, before) ?? this.#echo
    const from = isSame ? Math.max(frame.history.firstId, this.#searchedTo ?? 0) : frame.history.firstId
    this.#searchedTo = frame.lines[0]?.id ?? null
    return this.#searchEcho(from)
  }

  /** A prompt among the rows that have scrolled by since the last look. */
  #unseenEcho({ history }: Look['frame'], before: Look): Echo | null {
    const end = contentEnd(this.#look!, this.#kept)
    return this.#searchEcho(Math.max(history.firstId, before.frame.lines[0]?.id ?? 0, end - UNSEEN_ROWS_MAX))
  }

  #searchEcho(from: number): Echo | null {
    const rows = this.#source.readRows(from, contentEnd(this.#look!, this.#kept))
    const found = transcriptBlocks(rows, this.#pack).findLast(block => isEcho(block, this.#pack))
    return found ? echoOf(rows, found) : null
  }

  /** A prompt that left the scrollback was not cleared: its answer is longer than that. */
  #isStill({ first, last, text }: Echo, oldest: number): boolean {
    if (first >= ALTERNATE_FIRST_ID) return false
    return first < oldest || echoText(this.#source.readRows(first, last)) === text
  }

  #addLook(look: Look): void {
    const shown = look.outline.blocks.find(block => isEcho(block, this.#pack))
    if (shown) this.#echoBackground = echoBackground(look, this.#pack)
    const window = windowOf(look, this.#pack, { background: this.#echoBackground, known: this.#echo?.text ?? null })
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

/** Everything that the last look showed is gone from the screen and from the scrollback. */
export function isCleared({ frame }: Look, before: Look | null): boolean {
  const old = before?.frame
  if (old?.buffer !== 'normal' || frame.buffer !== 'normal') return false
  return frame.history.firstId > Math.max(old.history.firstId, old.history.lastId)
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
  return frame.lines[look.outline.liveFirst - 1]?.id ?? frame.history.lastId
}

/*
 * One frame as a window onto the conversation: which of its rows belong to the conversation, and
 * which of those are echoes of prompts.
 */

/**
 * A prompt as the agent shows it: the ids of its first and last row, and its text without blanks.
 */
export interface Echo {
  first: number
  last: number
  text: string
}

/** Where the pack says how a prompt looks, nothing else is one: an answer may quote a prompt. */
export function isEcho({ kind, isMarked }: Look['outline']['blocks'][number], pack: Pack): boolean {
  return kind === 'user' && (isMarked || !pack.blocks.some(block => block.kind === 'user'))
}

export function echoOf(rows: readonly Row[], block: { first: number; last: number }): Echo {
  const [first, last] = echoRows(rows, block)
  return { first: rows[first]!.id, last: rows[last]!.id, text: echoText(rows.slice(first, last + 1)) }
}

/** The text of a prompt without blanks: a change of width breaks it elsewhere. */
function echoText(rows: readonly { text: string }[]): string {
  return rows.map(({ text }, index) => (index === 0 ? withoutClock(text) : text).replace(/[\s\u00a0]+/gu, '')).join('')
}

/**
 * False if the frame is scrolled back, covered by another page or half drawn: then its rows are not
 * where they belong. A whole frame of a program on the alternate screen has an input box or a menu.
 */
function isTranscript({ observation, outline }: Look): boolean {
  if (observation.view === 'unknown' || isScrolled({ observation })) return false
  return outline.hasInput
}

function isScrolled({ observation }: Pick<Look, 'observation'>): boolean {
  return observation.facets.some(facet => facet.name === 'scrolled')
}

/** The frame's rows of the conversation, without blank rows at the end. */
function windowOf(
  look: Look,
  pack: Pack,
  { background: echoBackground, known }: { background: Color; known: string | null },
): KeptRow[] {
  const { frame, outline } = look
  const echoes = outline.blocks
    .filter(block => isEcho(block, pack))
    .map(block => {
      const rows = echoRows(frame.lines, block)
      const isTop = block === outline.blocks[0]
      return withoutBlankEnd(frame.lines, isTop && known !== null ? withoutOtherRows(frame.lines, rows, known) : rows)
    })
  const firstMark = outline.blocks.find(block => block.isMarked)?.first ?? 0
  const rows: KeptRow[] = []
  for (let index = 0; index < look.outline.liveFirst; index++) {
    const role = outline.roles[index]
    if (role && role !== 'terminator') continue
    const line = frame.lines[index]!
    const row = cutBar(line, outline.texts[index] ?? line.text, frame.cols)
    const isOpenEcho = index < firstMark && echoBackground !== null && backgroundOf(row) === echoBackground
    // A blank row between two rows of a prompt belongs to it.
    const isInside = echoes.some(([first, last]) => index >= first && index <= last)
    const isPrompt = isInside || (isOpenEcho && row.text.trim() !== '')
    rows.push(keptRow(row, isPrompt, frame.cols, pack))
  }
  const last = rows.findLastIndex(row => row.key !== '')
  return rows.slice(0, last + 1)
}

const lastKept = new WeakMap<Row, { kept: KeptRow; volatile: Pack['volatile'] }>()

/** A row that has not changed on screen is kept as the same object. */
function keptRow(row: Row, isEcho: boolean, cols: number, { volatile }: Pack): KeptRow {
  const last = lastKept.get(row)
  if (last && last.kept.isEcho === isEcho && last.kept.row.cols === cols && last.volatile === volatile) return last.kept
  const key = maskedText(row.text, volatile)
  const kept = { row: { ...(key === '' ? cutRow(row, 0) : row), cols }, key, isEcho }
  lastKept.set(row, { kept, volatile })
  return kept
}

/** A prompt with a background ends with it: if pinned, it is right above other rows. */
function echoRows(
  lines: readonly Row[],
  { first, last }: { first: number; last: number },
): [first: number, last: number] {
  const background = backgroundOf(lines[first]!)
  let end = first
  while (background !== null && end < last && lines[end + 1]!.spans.some(span => span.bg === background)) end++
  return [first, background === null ? last : end]
}

/** A pinned prompt without a background: it ends where what is known of it ends. */
function withoutOtherRows(
  lines: readonly Row[],
  [first, last]: [number, number],
  known: string,
): [first: number, last: number] {
  for (let end = first; end < last; end++) if (echoText(lines.slice(first, end + 1)) === known) return [first, end]
  return [first, last]
}

function withoutBlankEnd(lines: readonly Row[], [first, last]: [number, number]): [first: number, last: number] {
  let end = last
  while (end > first && lines[end]!.text.trim() === '') end--
  return [first, end]
}

/** The background that only prompts have; null if other text has the same one. */
function echoBackground({ frame, outline }: Look, pack: Pack): Color {
  const [echoes, others] = [true, false].map(is => outline.blocks.filter(block => isEcho(block, pack) === is))
  const background = echoes![0] ? backgroundOf(frame.lines[echoes![0].first]!) : null
  return others!.some(block => backgroundOf(frame.lines[block.first]!) === background) ? null : background
}

function backgroundOf(row: Row): Color {
  return row.spans.find(span => span.text.trim() !== '')?.bg ?? null
}

/** Removes a scroll bar at the right edge: it is not text. */
function cutBar(row: Row, text: string, cols: number): Row {
  const isCut = row.text.trimEnd().replace(/[\ufe0e\ufe0f]/gu, '').length > text.trimEnd().length
  const isBlock = row.width >= cols - 2 && /(?:^|\s{2,})[█▄▀▐▕]\s*$/u.test(row.text)
  return isCut || isBlock ? cutRow(row, row.width - 1) : row
}

function maskedText(text: string, volatile: Pack['volatile']): string {
  for (const pattern of volatile) {
    const match = pattern.exec(text)
    if (match?.[1] !== undefined) return squeezed(text.replace(match[1], ' '))
  }
  return squeezed(text.replace(BLOCK_MARK, ''))
}

/** Agents draw the same row with different kinds of blanks. */
function squeezed(text: string): string {
  return text.replace(/[\s\u00a0]+/gu, ' ').trim()
}
