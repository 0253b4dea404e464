import type { Color, Span } from '../terminal/index.js'
import type { RowPattern, StyleSpec } from './pack/pack.js'
import type { ScreenRow } from './screen-row.js'

/** Whether a row matches a pattern's text and the style of its first visible cell. */
export function matchesRow(row: ScreenRow, pattern: RowPattern): boolean {
  if (!pattern.line.test(row.text)) return false
  if (!pattern.style) return true
  const { at } = pattern.style
  const first = at === undefined ? (row.spans.find(span => span.text.trim() !== '') ?? row.spans[0]) : spanAt(row, at)
  return first !== undefined && hasStyle(first, pattern.style)
}

/** `fg` and `bg` are a colour, `default`, or `any` (any colour except the default). */
function hasStyle(span: Span, style: StyleSpec): boolean {
  return (
    fitsColour(span.fg, style.fg) &&
    fitsColour(span.bg, style.bg) &&
    (style.bold === undefined || span.bold === style.bold) &&
    (style.dim === undefined || span.dim === style.dim) &&
    (style.italic === undefined || span.italic === style.italic) &&
    (style.inverse === undefined || span.inverse === style.inverse)
  )
}

function fitsColour(colour: Color, wanted: string | undefined): boolean {
  if (wanted === undefined) return true
  return wanted === 'any' ? colour !== null : colourText(colour) === wanted
}

/** Colours in the notation of packs: `#rrggbb`, a palette number, or `default`. */
export function colourText(colour: Color): string {
  return colour === null ? 'default' : String(colour)
}

/** The style of the cell in this column; undefined right of the last written cell. */
function spanAt(row: { spans: readonly Span[] }, column: number): Span | undefined {
  return row.spans.find(span => column >= span.x && column < span.x + span.width)
}

export function styleKey(span: Span | undefined): string {
  return span ? `${span.fg}/${span.bg}/${span.bold}/${span.dim}/${span.inverse}/${span.underline}` : ''
}

/** Red, orange and amber: the colours in which programs draw warnings and errors. */
export function isWarning(colour: Color): boolean {
  if (typeof colour === 'number') return [1, 3, 9, 11, 196, 202, 203, 208, 214].includes(colour)
  if (colour === null) return false
  const [red, blue] = [1, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16)) as [number, number]
  return red >= 0xc0 && red - blue >= 0x60
}

export function isGrey(colour: Color): boolean {
  if (typeof colour === 'number') return colour === 8 || (colour >= 236 && colour <= 248)
  if (colour === null) return false
  const [red, green, blue] = [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ]
  return Math.max(red, green, blue) - Math.min(red, green, blue) < 32 && red > 0x48 && red < 0xc8
}
