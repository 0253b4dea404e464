import type { Span } from '../../terminal/index.js'
import { displayWidth } from '../../text/index.js'
import type { Pack } from '../pack/pack.js'
import type { InlineRun } from './block.js'
import { inlineRuns, mergeRuns } from './inline.js'
import { type BodyStyle, type RowColours, rowColours } from './row-style.js'
import { cutSpans, type TextRow, textFrom } from './text-row.js'
import { isContinuation, separatorBetween, type TextRoom } from './unwrap.js'

/** A row of an answer without the columns of its block's mark. */
export interface ProseRow {
  row: TextRow
  /** The column where the text of the block starts. */
  from: number
  text: string
  /** The column after the last visible character: a background may reach further. */
  width: number
  /** Blanks before the text; -1 for a blank row. */
  indent: number
  colours: RowColours
}

/** What reading an answer needs to know about its author. */
export interface ProseStyle {
  pack: Pack
  body: BodyStyle
  /** The column at which a row was wrapped. */
  rightOf: (row: TextRow) => number
  isOpen: boolean
}

export function proseRow(row: TextRow, from: number, style: ProseStyle): ProseRow {
  const text = textFrom(row, from)
  return {
    row,
    from,
    text,
    width: from + displayWidth(text),
    indent: text.search(/[^\s\u00a0]/u),
    colours: rowColours(row, from, style.body),
  }
}

export function isBlankRow(row: ProseRow): boolean {
  return row.indent < 0
}

export function roomOf(row: ProseRow, style: ProseStyle, left = row.from): TextRoom {
  return { right: style.rightOf(row.row), left }
}

/** The separator if `below` continues the line of `above`; null if it does not. */
export function separatorOf(above: ProseRow, below: ProseRow, style: ProseStyle, left?: number): string | null {
  const next = { text: below.text, isContinued: below.row.isContinued }
  const measured = { width: above.width, text: above.text }
  const room = roomOf(above, style, left)
  return isContinuation(measured, next, room) ? separatorBetween(measured, next, room) : null
}

export function spansFrom(row: ProseRow, columns: number): Span[] {
  return cutSpans(row.row.spans, row.from + columns)
}

/**
 * Rows of one paragraph as runs: wrapped lines are joined, the author's own line breaks stay.
 * `columns`: how much to remove from the start of each row. Rows with runs of blanks are laid out
 * by hand, so their breaks stay even if a word would not have fitted.
 */
export function joinRows(
  rows: readonly ProseRow[],
  columns: (row: ProseRow, index: number) => number,
  style: ProseStyle,
  left?: number,
): InlineRun[] {
  const runs: InlineRun[] = []
  rows.forEach((row, index) => {
    const above = rows[index - 1]
    if (above) runs.push({ text: (isLaidOut(above) ? null : separatorOf(above, row, style, left)) ?? '\n' })
    runs.push(...inlineRuns(spansFrom(row, columns(row, index)), style.body))
  })
  return mergeRuns(runs)
}

function isLaidOut(row: ProseRow): boolean {
  return /\S {3,}\S/u.test(row.text)
}
