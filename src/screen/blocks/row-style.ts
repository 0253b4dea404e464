import type { Color, Row, Span } from '../../terminal/index.js'
import { displayWidth } from '../../text/index.js'
import { cutSpans } from './text-row.js'

/** The style of an agent's plain text: the terminal's defaults, or its own colours. */
export interface BodyStyle {
  fg: Color
  bg: Color
  /** The colour of code inside sentences, whatever the theme; null if no sentence has any. */
  code: Color
}

/**
 * If the default covers this share of the text, it is the body, however much of the rest is code.
 */
const DEFAULT_SHARE = 0.1
/** This many rows are enough to determine the style of an answer. */
const SAMPLED_ROWS = 150

interface StyledRow {
  readonly text: string
  readonly spans: readonly Span[]
}

export function bodyStyle(rows: readonly StyledRow[]): BodyStyle {
  const fg = majority(rows, span => span.fg)
  return { fg, bg: majority(rows, span => span.bg), code: codeColour(rows, fg) }
}

/** A keyword or a bracket at its end: the row is a line of code. */
const CODE_LINE = /[{};]\s*$|^\s*(?:const|let|var|import|export|function|return|class|def|if|for|#|\/\/)\b/u

/**
 * Themes choose the colour of inline code; what they share is its place: one colour besides that of
 * the sentence, in a paragraph whose other rows have no second one.
 */
function codeColour(rows: readonly StyledRow[], body: Color): Color {
  const counts = new Map<Color, number>()
  let paragraph: Color[] = []
  let isText = true
  const finish = () => {
    if (isText) for (const colour of paragraph) counts.set(colour, (counts.get(colour) ?? 0) + 1)
    paragraph = []
    isText = true
  }
  for (const row of rows) {
    const shown = row.spans.filter(span => /\p{L}/u.test(span.text))
    if (row.text.trim() === '') finish()
    const foreign = new Set(
      shown.filter(span => isForeign(span, body) && displayWidth(span.text) < CODE_CELLS).map(span => span.fg),
    )
    const hasBody = shown.some(span => span.fg === body && /\p{L}{2}/u.test(span.text))
    if (foreign.size > 1 || CODE_LINE.test(row.text)) isText = false
    if (foreign.size === 1 && hasBody) paragraph.push([...foreign][0]!)
  }
  finish()
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null
}

/** Longer text in the colour of inline code is something else. */
export const CODE_CELLS = 60

function isForeign(span: Span, body: Color): boolean {
  return (
    span.fg !== null && span.fg !== body && !span.link && !span.bold && !span.underline && !span.italic && !span.dim
  )
}

function majority(rows: readonly StyledRow[], colourOf: (span: Span) => Color): Color {
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

export function rowColours(row: Row, from: number, body: BodyStyle): RowColours {
  const spans = cutSpans(row.spans, from).filter(span => span.text.trim() !== '')
  const isInline = (span: Span) => body.code !== null && span.fg === body.code && !span.bold
  // The terminal's default colour is never a syntax colour.
  const coloured = spans.filter(
    span => span.fg !== null && span.fg !== body.fg && !span.link && !isInline(span) && !span.bold && !span.underline,
  )
  const first = spans[0]
  return {
    syntax: new Set(coloured.map(span => span.fg)).size,
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
