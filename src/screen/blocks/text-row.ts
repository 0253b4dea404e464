import { DEFAULT_STYLE, type Row, type Span } from '../../terminal/index.js'
import { displayWidth, graphemes } from '../../text/index.js'

/** A row of a transcript, with data that the current screen does not have. */
export interface TextRow extends Row {
  /** Columns of the screen on which it was drawn, if they differ from the current ones. */
  cols?: number
  /** Rows between it and the row above scrolled by unread. */
  hasGap?: boolean
  /** Continues the row above, which is not full: they were drawn at different widths. */
  isContinued?: boolean
}

/** Undoes soft wraps: rows that the terminal itself wrapped become one. */
export function joinSoftWraps(rows: readonly TextRow[], cols: number): TextRow[] {
  if (!rows.some(row => row.wrapped)) return [...rows]
  const joined: TextRow[] = []
  for (let at = 0; at < rows.length; ) {
    let end = at + 1
    while (end < rows.length && rows[end]!.wrapped && !rows[end]!.hasGap) end++
    joined.push(end === at + 1 ? rows[at]! : joinRows(rows.slice(at, end), cols))
    at = end
  }
  return joined
}

/**
 * Joins rows that were side by side, each as wide as the screen was. A wide character that did not
 * fit leaves one free cell at the end of its row, which is not a blank. The parts are collected and
 * joined once: a line may have as many rows as the scrollback.
 */
function joinRows(rows: readonly TextRow[], cols: number): TextRow {
  const first = rows[0]!
  const texts = [first.text]
  const spans = [...first.spans]
  let right = first.cols ?? cols
  let { width } = first
  let textWidth = displayWidth(first.text)
  for (const row of rows.slice(1)) {
    const isPushed = width === right - 1 && displayWidth(firstCharacter(row.text)) === 2
    const x = isPushed ? right - 1 : right
    if (row.text !== '') {
      texts.push(' '.repeat(Math.max(0, x - textWidth)), row.text)
      textWidth = Math.max(x, textWidth) + displayWidth(row.text)
    }
    if (row.width > 0) {
      if (x > width) spans.push(plainSpan(width, x - width))
      for (const span of row.spans) spans.push({ ...span, x: span.x + x })
      width = x + row.width
    }
    right += row.cols ?? cols
  }
  return { ...first, text: texts.join(''), width, spans }
}

function firstCharacter(text: string): string {
  const point = text.codePointAt(0)
  return point === undefined ? '' : String.fromCodePoint(point)
}

function plainSpan(x: number, width: number): Span {
  return { x, width, text: ' '.repeat(width), ...DEFAULT_STYLE }
}

/** The spans between two columns. A wide character belongs to where it starts. */
export function cutSpans(spans: readonly Span[], from: number, to = Number.POSITIVE_INFINITY): Span[] {
  const kept: Span[] = []
  for (const span of spans) {
    if (span.x + span.width <= from || span.x >= to) continue
    if (span.x >= from && span.x + span.width <= to) kept.push(span)
    else {
      const { text, x } = cutText(span.text, span.x, from, to)
      if (text !== '') kept.push({ ...span, text, x, width: displayWidth(text) })
    }
  }
  return kept
}

/** The row up to a column. */
export function cutRow<T extends Row>(row: T, to: number): T {
  const text = spansText(cutSpans(row.spans, 0, to)).trimEnd()
  const width = displayWidth(text)
  return { ...row, text, width, spans: cutSpans(row.spans, 0, width) }
}

function cutText(text: string, start: number, from: number, to: number): { text: string; x: number } {
  if (/^[\x20-\x7e]*$/.test(text))
    return { text: text.slice(Math.max(0, from - start), Math.max(0, to - start)), x: Math.max(start, from) }
  let column = start
  let kept = ''
  let x = -1
  for (const segment of graphemes(text)) {
    if (column >= from && column < to) {
      if (x < 0) x = column
      kept += segment
    }
    column += displayWidth(segment)
  }
  return { text: kept, x: x < 0 ? from : x }
}

/** The row's text from a column on: columns are not characters where these are wide. */
export function textFrom(row: Row, column: number): string {
  if (column === 0 || /^[\x20-\x7e]*$/.test(row.text.slice(0, column + 1))) return row.text.slice(column).trimEnd()
  return spansText(cutSpans(row.spans, column)).trimEnd()
}

export function spansText(spans: readonly Span[]): string {
  return spans.map(span => span.text).join('')
}
