import type { Look } from '../panes/index.js'
import {
  cutRow,
  type KeptRow,
  layWindow,
  type Pack,
  realignWindow,
  SPINNER,
  type TextRow,
  transcriptBlocks,
} from '../screen/index.js'
import { ALTERNATE_FIRST_ID, type Color, type Row } from '../terminal/index.js'

export interface RowSource {
  readRows(firstId: number, lastId: number): Row[]
}

/** A prompt on the screen: its rows and its words. */
export interface Echo {
  first: number
  last: number
  text: string
}

/** For a later host: the rows of a program on the alternate screen, which no terminal keeps. */
export interface ShownState {
  base: number
  /** Index of the row that is first on the screen, and the texts it begins with. */
  top: number
  head: string[]
  cols: number
  rows: KeptRow[]
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

  observe(look: Look): void {
    const before = this.#look
    this.#noteSize(look, before)
    this.#look = look
    if (look.frame.buffer === 'alternate') {
      if (isTranscript(look)) this.#keep(look)
      this.#setEcho(this.#keptEcho())
    } else this.#setEcho(this.#normalEcho(look))
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
    return this.#look ? this.rows(id, contentEnd(this.#look, this.#kept)) : []
  }

  rows(firstId: number, lastId: number): TextRow[] {
    if (this.#look?.frame.buffer !== 'alternate') {
      const rows: TextRow[] = this.#source.readRows(firstId, lastId)
      const isCut = rows.length > 0 && rows[0]!.id > firstId && firstId < (this.#look?.frame.history.firstId ?? 0)
      return isCut ? [{ ...rows[0]!, hasGap: true }, ...rows.slice(1)] : rows
    }
    const start = ALTERNATE_FIRST_ID + this.#kept.base
    const kept = this.#kept.rows.slice(Math.max(0, firstId - start), Math.max(0, lastId - start + 1))
    return kept.map(({ row }, index) => ({ ...row, id: Math.max(firstId, start) + index }))
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
    this.#echo = echo
    if (isNew && this.#look) this.#widths = [this.#look.frame.cols]
  }

  #normalEcho({ frame, layout }: Look): Echo | null {
    const shown = layout.blocks.findLast(block => isEcho(block, this.#pack))
    if (shown) return echoOf(frame.lines, shown)
    const known = this.#echo
    const isRepainting = this.#repaints.some(repaint => this.#look!.t <= repaint.until)
    if (
      known &&
      !isRepainting &&
      known.first < ALTERNATE_FIRST_ID &&
      echoText(this.#source.readRows(known.first, known.last)) === known.text
    )
      return known
    const rows = this.#source.readRows(frame.history.firstId, contentEnd(this.#look!, this.#kept))
    const found = transcriptBlocks(rows, this.#pack).findLast(block => isEcho(block, this.#pack))
    return found ? echoOf(rows, found) : null
  }

  #keep(look: Look): void {
    const shown = look.layout.blocks.find(block => isEcho(block, this.#pack))
    if (shown) this.#echoBackground = backgroundOf(look.frame.lines[shown.first]!)
    const window = windowOf(look, this.#pack, this.#echoBackground)
    if (window.length === 0) return
    const { rows, base, cols } = this.#kept
    const isRewrapped = cols !== 0 && cols !== look.frame.cols
    const laid = (isRewrapped && realignWindow(rows, window, this.#kept.head)) || layWindow(rows, window, this.#kept)
    const cut = Math.max(0, laid.rows.length - KEPT_ROWS)
    this.#kept = {
      base: base + cut,
      top: laid.top - cut,
      head: laid.head,
      cols: look.frame.cols,
      rows: cut > 0 ? laid.rows.slice(cut) : laid.rows,
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

/** Where the pack knows how a prompt looks, nothing else is one: an answer may quote a prompt. */
function isEcho({ kind, spec }: Look['layout']['blocks'][number], pack: Pack): boolean {
  return kind === 'user' && (spec !== null || !pack.blocks.some(block => block.kind === 'user'))
}

function echoOf(rows: readonly Row[], block: { first: number; last: number }): Echo {
  const [first, last] = echoRows(rows, block)
  return { first: rows[first]!.id, last: rows[last]!.id, text: echoText(rows.slice(first, last + 1)) }
}

/** Words of a prompt; a change of width breaks them elsewhere. */
function echoText(rows: readonly { text: string }[]): string {
  return rows.map(row => row.text.replace(/[\s\u00a0]+/gu, '')).join('')
}

/**
 * Scrolled back, another page in front of it, or half drawn: then the transcript's rows are not where they belong. A whole picture of a
 * program on the alternate screen has an input box or a menu.
 */
function isTranscript({ observation, layout }: Look): boolean {
  if (observation.view === 'unknown' || isScrolled({ observation })) return false
  return layout.composer !== null || layout.menu !== null
}

function isScrolled({ observation }: Pick<Look, 'observation'>): boolean {
  return observation.facets.some(facet => facet.name === 'scrolled')
}

/** Index of the first row of the live part: status row, menu, input box, footer. */
function liveStart({ frame, layout }: Look): number {
  return layout.regions.get('status')?.first ?? layout.regions.get('live')?.first ?? frame.lines.length
}

function contentEnd(look: Look, kept: ShownState): number {
  if (look.frame.buffer === 'alternate') return ALTERNATE_FIRST_ID + kept.base + kept.rows.length - 1
  const row = look.frame.lines[liveStart(look) - 1]
  return row ? row.id : -1
}

function windowOf(look: Look, pack: Pack, echoBackground: Color): KeptRow[] {
  const { frame, layout } = look
  const echoes = layout.blocks.filter(block => isEcho(block, pack)).map(block => echoRows(frame.lines, block))
  const firstMark = layout.blocks.find(block => block.spec !== null)?.first ?? 0
  const rows: KeptRow[] = []
  for (let index = 0; index < liveStart(look); index++) {
    const role = layout.roles[index]
    if (role && role !== 'terminator') continue
    const row = cutBar(frame.lines[index]!, layout.rows[index]!.text, frame.cols)
    const isOpenEcho = index < firstMark && echoBackground !== null && backgroundOf(row) === echoBackground
    const isPrompt =
      row.text.trim() !== '' && (isOpenEcho || echoes.some(([first, last]) => index >= first && index <= last))
    const key = maskedText(row.text, pack)
    rows.push({ row: { ...(key === '' ? cutRow(row, 0) : row), cols: frame.cols }, key, isEcho: isPrompt })
  }
  const last = rows.findLastIndex(row => row.key !== '')
  return rows.slice(0, last + 1)
}

/** Where prompts have a background, they end with it: pinned to the top of the screen, a prompt stands right above other rows. */
function echoRows(
  lines: readonly Row[],
  { first, last }: { first: number; last: number },
): [first: number, last: number] {
  const background = backgroundOf(lines[first]!)
  let end = first
  while (background !== null && end < last && lines[end + 1]!.spans.some(span => span.bg === background)) end++
  return [first, background === null ? last : end]
}

function backgroundOf(row: Row): Color {
  return row.spans.find(span => span.text.trim() !== '')?.bg ?? null
}

/** A scroll bar at the right edge is not text. */
function cutBar(row: Row, text: string, cols: number): Row {
  const isCut = row.text.trimEnd().replace(/[\ufe0e\ufe0f]/gu, '').length > text.trimEnd().length
  const isBlock = row.width >= cols - 2 && /(?:^|\s{2,})[█▄▀▐▕]\s*$/u.test(row.text)
  return isCut || isBlock ? cutRow(row, row.width - 1) : row
}

function maskedText(text: string, pack: Pack): string {
  for (const pattern of pack.volatile) {
    const match = pattern.exec(text)
    if (match?.[1] !== undefined) return text.replace(match[1], ' ').trim()
  }
  return text.replace(SPINNER, '').trim()
}
