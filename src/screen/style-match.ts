import type { Color, Row, Span } from '../terminal/index.js'
import type { RowPattern, StyleSpec } from './pack/pack.js'

/** Whether a row matches a pattern's text and, where the pattern asks for one, the style of its first visible cell. */
export function matchesRow(row: Row, pattern: RowPattern): boolean {
  if (!pattern.line.test(row.text)) return false
  if (!pattern.style) return true
  const first = row.spans.find(span => span.text.trim() !== '') ?? row.spans[0]
  return first !== undefined && hasStyle(first, pattern.style)
}

export function hasStyle(span: Span, style: StyleSpec): boolean {
  return (
    (style.fg === undefined || colourText(span.fg) === style.fg) &&
    (style.bg === undefined || colourText(span.bg) === style.bg) &&
    (style.bold === undefined || span.bold === style.bold) &&
    (style.dim === undefined || span.dim === style.dim) &&
    (style.italic === undefined || span.italic === style.italic) &&
    (style.inverse === undefined || span.inverse === style.inverse)
  )
}

/** Colours as packs write them: `#rrggbb`, a palette number, or `default`. */
export function colourText(colour: Color): string {
  return colour === null ? 'default' : String(colour)
}

/** The style of the cell in this column; undefined right of the last written cell. */
export function spanAt(row: Row, column: number): Span | undefined {
  return row.spans.find(span => column >= span.x && column < span.x + span.width)
}
