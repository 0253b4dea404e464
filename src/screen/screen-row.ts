import { type Frame, memoizeByObject, type Row, type Span } from '../terminal/index.js'
import { displayWidth } from '../text/index.js'
import { type TextContrast, textContrast } from './text-contrast.js'

/** A row as rules read it: no variation selectors, no scroll bar, same columns. */
export interface ScreenRow extends TextContrast {
  index: number
  id: number
  text: string
  /** The column of the first visible character; -1 for a blank row. */
  indent: number
  wrapped: boolean
  width: number
  /** Drawn beyond its text, with blanks or a background. */
  isDrawn: boolean
  /** Part of a band (`withBands`). */
  isBand: boolean
  spans: readonly Span[]
}

const SELECTORS = /[\uFE0E\uFE0F]/gu
const BAR = /[│┃█▐▌║▕╽╿┆]/u
/** A scroll bar has at least this many rows of bar characters in the last columns. */
const BAR_ROWS = 4

export function screenRows(frame: Frame, options: { hasScrollbar: boolean }): ScreenRow[] {
  const bar = options.hasScrollbar ? findScrollbar(frame) : null
  const text = textContrast(frame.lines)
  const rows = joinBrokenRules(frame.lines.map((row, index) => toScreenRow(row, index, text, bar)))
  const last = rows.at(-1)
  withBands(rows)
  // The status row of a terminal multiplexer is not part of the program's screen.
  if (last && isMultiplexerRow(last, frame.cols)) rows[last.index] = { ...last, text: '', indent: -1, spans: [] }
  return rows
}

/** Rows of a text that is longer than the screen, or only a part of it. */
export function screenRowsOf(rows: readonly Row[]): ScreenRow[] {
  const text = textContrast(rows)
  return withBands(rows.map((row, index) => toScreenRow(row, index, text)))
}

/** Each row as part of a band, for as long as the row exists. */
const bandRows = new WeakMap<ScreenRow, ScreenRow>()

/**
 * Programs draw some texts as a band: full rows with a blank one above and below. The background
 * shows it; without colours the drawn blanks do, because other rows of the program start with text.
 */
function withBands(rows: ScreenRow[]): ScreenRow[] {
  for (let first = 0; first < rows.length; ) {
    if (!rows[first]!.isDrawn) {
      first++
      continue
    }
    let end = first
    while (end < rows.length && rows[end]!.isDrawn) end++
    // The upper edge of the first one may have scrolled away.
    const isPadded = isBlank(rows[first === 0 ? end - 1 : first])
    if (isPadded && end > first + 1) for (let at = first; at < end; at++) rows[at] = asBand(rows[at]!)
    first = end
  }
  return rows
}

function asBand(row: ScreenRow): ScreenRow {
  if (row.isBand) return row
  const known = bandRows.get(row)
  if (known) return known
  const band = { ...row, isBand: true }
  bandRows.set(row, band)
  return band
}

/** `[0] 0:node* 1:bash-`: numbered windows, one with a star, on one background. */
function isMultiplexerRow(row: ScreenRow, cols: number): boolean {
  const [first] = row.spans
  const hasOneBackground =
    first !== undefined && (first.bg !== null || first.inverse) && row.spans.every(span => span.bg === first.bg)
  const width = row.spans.reduce((sum, span) => sum + span.width, 0)
  return hasOneBackground && width >= cols - 1 && /^\[\S+\] (?:\d+:\S+ +)*\d+:\S*\*/u.test(row.text)
}

const RULE_ONLY = /^[─━═▔▁▄▀]+$/u

/**
 * A rule across the screen that a narrower terminal broke in two is still one rule: it is put into
 * the lower row, and the upper row is blank.
 */
function joinBrokenRules(rows: ScreenRow[]): ScreenRow[] {
  for (let index = 1; index < rows.length; index++) {
    const above = rows[index - 1]!
    const row = rows[index]!
    if (!row.wrapped || !RULE_ONLY.test(row.text) || !RULE_ONLY.test(above.text)) continue
    rows[index] = { ...row, text: above.text, indent: 0, width: above.width, spans: above.spans }
    rows[index - 1] = { ...above, text: '', indent: -1 }
  }
  return rows
}

/** The last reading of a row: while it stays in place, findings about it stay valid. */
const lastSeen = new WeakMap<Row, { bar: number | null; row: ScreenRow }>()

/** `text`: how the text of the whole screen stands out. */
function toScreenRow(row: Row, index: number, text: TextContrast, bar: number | null = null): ScreenRow {
  const last = lastSeen.get(row)
  const isSame =
    last !== undefined &&
    last.row.index === index &&
    last.bar === bar &&
    last.row.page === text.page &&
    last.row.contrast === text.contrast
  if (isSame) return last.row
  const seen = { ...readScreenRow(row, index, bar), page: text.page, contrast: text.contrast }
  lastSeen.set(row, { bar, row: seen })
  return seen
}

function readScreenRow(row: Row, index: number, bar: number | null): Omit<ScreenRow, keyof TextContrast> {
  const cut = bar !== null && isBarAt(row, bar) ? row.text.replace(/\s*\S\s*$/u, '') : row.text
  const text = SELECTORS.test(cut) ? cut.replace(SELECTORS, '') : cut
  return {
    index,
    id: row.id,
    text,
    indent: text.search(/[^\s\u00a0]/u),
    wrapped: row.wrapped,
    width: row.width,
    isDrawn: row.filled === true || row.width > displayWidth(row.text),
    isBand: row.width > displayWidth(row.text),
    spans: row.spans,
  }
}

function isBarAt(row: Row, column: number): boolean {
  return barColumn(row) === column
}

/** The column of the last visible character if it is a bar character; otherwise -1. */
const barColumn = memoizeByObject((row: Row): number => {
  const last = row.spans.findLast(span => span.text.trim() !== '')
  if (!last) return -1
  const text = last.text.trimEnd()
  // Counted from the right: wide and zero-width characters are before it.
  return BAR.test(text.at(-1) ?? '') ? last.x + last.width - (last.text.length - text.length) - 1 : -1
})

/** The scroll bar's column: the last or last but one, where most rows end in a bar. */
function findScrollbar(frame: Frame): number | null {
  for (const column of [frame.cols - 1, frame.cols - 2]) {
    let run = 0
    for (const row of frame.lines) {
      const isBar = isBarAt(row, column) && !/^\s{0,3}[│┃║]/u.test(row.text)
      run = isBar ? run + 1 : 0
      if (run >= BAR_ROWS) return column
    }
  }
  return null
}

export function isBlank(row: ScreenRow | undefined): boolean {
  return row === undefined || row.indent < 0
}

/** A horizontal line across at least half of the screen, with nothing else in the row. */
export function isRule(row: ScreenRow, cols: number): boolean {
  const text = row.text.trim()
  return /^[─━═▔▁]{4,}$/u.test(text) && text.length >= cols / 2
}
