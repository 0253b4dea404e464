import type { Color, Span } from '../terminal/index.js'
import type { ColourRelation, RowPattern, StyleSpec } from './pack/pack.js'
import type { ScreenRow } from './screen-row.js'
import { contrastOf, type TextContrast } from './text-contrast.js'

/*
 * Themes change every colour, and NO_COLOR removes them, so that packs name no colour: they say how
 * a cell relates to its row. The page is what lies under the first column; a band is a row whose
 * cells are drawn beyond its text, with or without a background.
 */

/** Whether a row matches a pattern's text and the style of its first visible cell. */
export function matchesRow(row: ScreenRow, pattern: RowPattern): boolean {
  if (!pattern.line.test(row.text)) return false
  const { style } = pattern
  if (!style) return true
  if (style.band !== undefined && row.isBand !== style.band) return false
  const first =
    style.at === undefined ? (row.spans.find(span => span.text.trim() !== '') ?? row.spans[0]) : spanAt(row, style.at)
  return first !== undefined && hasStyle(first, style, row.spans[0]!)
}

/**
 * `any`: any colour except the default; `page`: the background of the page, such as a mark that is
 * made invisible; `own`: any other colour; `mark`: the same colour as the first cell has.
 */
function hasStyle(span: Span, style: StyleSpec, edge: Span): boolean {
  return (
    // The terminal's own text is never drawn in its own background.
    (style.fg !== 'page' || span.fg !== null) &&
    fitsColour(span.fg, style.fg, { page: edge.bg, mark: edge.fg }) &&
    fitsColour(span.bg, style.bg, { page: edge.bg, mark: edge.bg }) &&
    (style.joined === undefined || span.width > 2 === style.joined) &&
    (style.bold === undefined || span.bold === style.bold) &&
    (style.dim === undefined || span.dim === style.dim) &&
    (style.italic === undefined || span.italic === style.italic) &&
    (style.inverse === undefined || span.inverse === style.inverse)
  )
}

function fitsColour(
  colour: Color,
  wanted: ColourRelation | undefined,
  { page, mark }: { page: Color; mark: Color },
): boolean {
  switch (wanted) {
    case undefined:
      return true
    case 'default':
      return colour === null
    case 'any':
      return colour !== null
    case 'page':
      return colour === page
    case 'own':
      return colour !== null && colour !== page
    case 'mark':
      return colour !== null && colour === mark
  }
}

/** The contrast of faint text is at most this share of the contrast of the screen's own text. */
const FAINT_CONTRAST = 0.75

/** Dim, or grey and hard to read beside the other text: drawn to be read second. */
export function isFaint({ dim, fg }: Pick<Span, 'dim' | 'fg'>, { page, contrast }: TextContrast): boolean {
  if (dim) return true
  if (!isGrey(fg)) return false
  const own = contrast === 0 ? null : contrastOf(fg, page)
  return own === null || own <= contrast * FAINT_CONTRAST
}

/** All text of the row is faint. A scroll bar next to it is not its text. */
export function isQuiet(row: Pick<ScreenRow, 'spans' | 'text' | 'page' | 'contrast'>): boolean {
  return row.spans.every(span => span.x >= row.text.length || span.text.trim() === '' || isFaint(span, row))
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

function isGrey(colour: Color): boolean {
  if (typeof colour === 'number') return colour === 8 || (colour >= 236 && colour <= 248)
  if (colour === null) return false
  const [red, green, blue] = [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ]
  return Math.max(red, green, blue) - Math.min(red, green, blue) < 32 && red > 0x48 && red < 0xc8
}
