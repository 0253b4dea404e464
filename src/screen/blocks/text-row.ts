import type { Row, Span } from '../../terminal/index.js'
import { displayWidth } from '../../text/index.js'

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** A row of a transcript, with what its keeper knows beyond the screen it stands on now. */
export interface TextRow extends Row {
  /** Columns of the screen it was drawn on, where that is not the present one. */
  cols?: number
  /** Rows between it and the row above it went by unread. */
  hasGap?: boolean
  /** Goes on with the sentence of the row above it, although that one is not full: the two were drawn at different widths. */
  isContinued?: boolean
}

/** Soft wraps undone: rows that the terminal itself broke (long lines, or lines drawn before the screen became narrower) are one again. */
export function joinSoftWraps(rows: readonly TextRow[], cols: number): TextRow[] {
  if (!rows.some(row => row.wrapped)) return [...rows]
  const joined: TextRow[] = []
  let at = 0
  for (const row of rows) {
    const above = joined.at(-1)
    if (!row.wrapped || !above || row.hasGap) {
      joined.push(row)
      at = row.cols ?? cols
      continue
    }
    joined[joined.length - 1] = append(above, row, at)
    at += row.cols ?? cols
  }
  return joined
}

/** `at`: the column where the second row begins. A wide character that did not fit leaves one cell free, which is no blank. */
function append(above: TextRow, below: TextRow, at: number): TextRow {
  const isPushed = above.width === at - 1 && displayWidth(Array.from(below.text)[0] ?? '') === 2
  const x = isPushed ? at - 1 : at
  const blanks = ' '.repeat(Math.max(0, x - displayWidth(above.text)))
  const filler: Span[] = x > above.width ? [plainSpan(above.width, x - above.width)] : []
  return {
    ...above,
    text: below.text === '' ? above.text : above.text + blanks + below.text,
    width: below.width === 0 ? above.width : x + below.width,
    spans:
      below.width === 0
        ? above.spans
        : [...above.spans, ...filler, ...below.spans.map(span => ({ ...span, x: span.x + x }))],
  }
}

function plainSpan(x: number, width: number): Span {
  const style = {
    fg: null,
    bg: null,
    bold: false,
    dim: false,
    italic: false,
    underline: false,
    inverse: false,
    strike: false,
  }
  return { x, width, text: ' '.repeat(width), ...style }
}

/** The part of the spans between two columns. A wide character on the border belongs to the side it begins on. */
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
  for (const { segment } of segmenter.segment(text)) {
    if (column >= from && column < to) {
      if (x < 0) x = column
      kept += segment
    }
    column += displayWidth(segment)
  }
  return { text: kept, x: x < 0 ? from : x }
}

/** The row's text from a column on. Characters and columns differ where something is wide or has no width. */
export function textFrom(row: Row, column: number): string {
  if (column === 0 || /^[\x20-\x7e]*$/.test(row.text.slice(0, column + 1))) return row.text.slice(column).trimEnd()
  return spansText(cutSpans(row.spans, column)).trimEnd()
}

export function spansText(spans: readonly Span[]): string {
  return spans.map(span => span.text).join('')
}
