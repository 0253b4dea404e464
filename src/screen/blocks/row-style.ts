import type { Color, Row, Span } from '../../terminal/index.js'
import type { Pack } from '../pack/pack.js'
import { colourText } from '../style-match.js'
import { cutSpans } from './text-row.js'

/** The style of an agent's plain text: the terminal's defaults, or its own colours. */
export interface BodyStyle {
  fg: Color
  bg: Color
}

/**
 * If the default covers this share of the text, it is the body, however much of the rest is code.
 */
const DEFAULT_SHARE = 0.1
/** This many rows are enough to determine the style of an answer. */
const SAMPLED_ROWS = 150

export function bodyStyle(rows: readonly Row[]): BodyStyle {
  return { fg: majority(rows, span => span.fg), bg: majority(rows, span => span.bg) }
}

function majority(rows: readonly Row[], colourOf: (span: Span) => Color): Color {
  const cells = new Map<Color, number>()
  let all = 0
  const step = Math.max(1, Math.floor(rows.length / SAMPLED_ROWS))
  for (let index = 0; index < rows.length; index += step) {
    for (const span of rows[index]!.spans) {
      if (!/\p{L}/u.test(span.text)) continue
      const visible = span.text.trim().length
      cells.set(colourOf(span), (cells.get(colourOf(span)) ?? 0) + visible)
      all += visible
    }
  }
  if ((cells.get(null) ?? 0) >= all * DEFAULT_SHARE) return null
  return [...cells].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null
}

export interface RowColours {
  /** Foreground colours that are neither the body's nor those of inline code and links. */
  syntax: number
  /** No visible cell is in the body's colour. */
  isWhole: boolean
  /** All text is in the colour of inline code. */
  isInlineCode: boolean
  /** On a background that is not the body's. */
  hasBackground: boolean
}

export function rowColours(row: Row, from: number, pack: Pack, body: BodyStyle): RowColours {
  const spans = cutSpans(row.spans, from).filter(span => span.text.trim() !== '')
  const isInline = (span: Span) => pack.text.inlineCodeFg.includes(colourText(span.fg)) && !span.bold
  // The terminal's default colour is never a syntax colour.
  const coloured = spans.filter(
    span => span.fg !== null && span.fg !== body.fg && !span.link && !isInline(span) && !span.bold && !span.underline,
  )
  const first = spans[0]
  return {
    syntax: new Set(coloured.map(span => colourText(span.fg))).size,
    isWhole: spans.length > 0 && coloured.length === spans.length,
    isInlineCode: spans.length > 0 && spans.every(isInline),
    hasBackground:
      first !== undefined && first.bg !== null && first.bg !== body.bg && spans.every(span => span.bg === first.bg),
  }
}

/** Every visible cell is bold or underlined, and it is not a link. */
export function isEmphasised(row: Row, from: number): boolean {
  const spans = cutSpans(row.spans, from).filter(span => span.text.trim() !== '')
  return spans.length > 0 && spans.every(span => (span.bold || span.underline) && !span.link)
}

export function hasDiffColour(row: Row, from: number): boolean {
  return cutSpans(row.spans, from).some(
    span => span.text.trim() !== '' && (isRedOrGreen(span.fg) || isRedOrGreen(span.bg)),
  )
}

function isRedOrGreen(colour: Color): boolean {
  if (typeof colour === 'number') return [1, 2, 9, 10].includes(colour)
  if (colour === null) return false
  const [red, green, blue] = [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ]
  return (red > green * 1.3 && red > blue * 1.2) || (green > red * 1.2 && green > blue * 1.2)
}
