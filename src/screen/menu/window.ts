import type { ScreenRow } from '../screen-row.js'

/** A box in the middle of the screen, drawn over the rest. Rows and columns of its edges. */
export interface Window {
  first: number
  last: number
  left: number
  right: number
}

const TOP = /[╭┌╔][─━═]{12,}[╮┐╗]/u
/** How much the left and right margins may differ: a box is centred up to rounding. */
const OFF_CENTRE = 2
const MARGIN = 4

/**
 * The lowest window. It has the keyboard although the input box and the conversation are visible
 * around it. An answer can draw a box too, but at the position of the text and not in the middle.
 */
export function findWindow(rows: readonly ScreenRow[], cols: number): Window | null {
  for (let first = rows.length - 3; first >= 0; first--) {
    const match = TOP.exec(rows[first]!.text)
    if (!match) continue
    const left = match.index
    const right = left + match[0].length - 1
    if (left < MARGIN || Math.abs(left - (cols - 1 - right)) > OFF_CENTRE) continue
    const height = rows.slice(first + 1).findIndex(row => /[╰└╚]/u.test(row.text[left] ?? ''))
    const last = first + 1 + height
    const isWhole =
      height > 1 &&
      /[╯┘╝]/u.test(rows[last]!.text[right] ?? '') &&
      rows.slice(first + 1, last).every(row => /[│┃║]/u.test(row.text[left] ?? ''))
    if (isWhole) return { first, last, left, right }
  }
  return null
}

/** The rows inside the window: everything around it is blank. */
export function rowsInWindow(rows: readonly ScreenRow[], window: Window): ScreenRow[] {
  const { first, last, left, right } = window
  return rows.map(row => {
    if (row.index < first || row.index > last) return { ...row, text: '', indent: -1, spans: [] }
    const text = `${' '.repeat(left)}${row.text.slice(left, right + 1)}`.trimEnd()
    const spans = row.spans.filter(span => span.x + span.width > left && span.x <= right)
    return { ...row, text, indent: text.search(/\S/u), spans }
  })
}
