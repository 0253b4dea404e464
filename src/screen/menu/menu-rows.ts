import { memoizeByObject, type Span } from '../../terminal/index.js'
import type { ScreenRow } from '../screen-row.js'
import type { TextContrast } from '../text-contrast.js'

/** A row as the menu parser reads it: box edges and gutters are blanked, columns stay the same. */
export interface MenuRow extends TextContrast {
  index: number
  text: string
  spans: readonly Span[]
  indent: number
  isBlank: boolean
  /** A rule across the screen, or the edge of a box. */
  isRule: boolean
  /** A dashed frame, or the edge of a box inside the box: part of the body. */
  isFrame: boolean
  isBoxed: boolean
  /** The columns of the box's left edge, and of its right edge if it has one. */
  left: number
  edge: number | null
}

const LEFT_EDGE = /^(\s*)[│┃║▌▎](?=\s|$)/u
const RIGHT_EDGE = /\s[│┃║█▐┆](\s*)$/u
const EDGE_ROW = /^\s*[╭┌╔├╠└╰╚╹╻][─━═▄▀╌┄ \p{L}\p{N}.,:/()'"-]*[╮┐╗┤╣┘╯╝]?\s*$/u
const RULE_ROW = /^\s*[─━═▔▁▄▀]{8,}\s*$/u
/** A rule with a setting or a name in it: `────── medium ──`. */
const LABELLED_RULE = /^\s*([─━═▔▁])\1{11,}[^─━═▔▁]{3,60}\1+\s*$/u
const DASHED_ROW = /^\s*[╌┄┈]{4,}\s*$/u

export const toMenuRow = memoizeByObject((row: ScreenRow): MenuRow => {
  const isOuterEdge = EDGE_ROW.test(row.text) || RULE_ROW.test(row.text) || LABELLED_RULE.test(row.text)
  let text = row.text
  let depth = 0
  let edge: number | null = null
  const left = isOuterEdge ? 0 : (LEFT_EDGE.exec(text)?.[1]?.length ?? 0)
  while (!isOuterEdge && LEFT_EDGE.test(text) && depth < 3) {
    if (RIGHT_EDGE.test(text)) edge = text.trimEnd().length - 1
    text = text.replace(LEFT_EDGE, '$1 ').replace(RIGHT_EDGE, '  $1')
    depth++
  }
  text = text.trimEnd()
  const isInnerEdge = depth > 0 && (EDGE_ROW.test(text) || RULE_ROW.test(text))
  const indent = text.search(/[^\s\u00a0]/u)
  const isFrame = DASHED_ROW.test(text) || isInnerEdge
  return {
    index: row.index,
    text,
    spans: row.spans,
    page: row.page,
    contrast: row.contrast,
    indent,
    isBlank: indent < 0,
    isRule: isOuterEdge,
    isFrame,
    isBoxed: depth > 0,
    left,
    edge,
  }
})

/** The first visible span at or right of a column; edges of boxes do not count. */
export function spanFrom(row: MenuRow, column: number): Span | undefined {
  return row.spans.find(span => span.x + span.width > column && span.text.replace(/[│┃║▌▎\s]/gu, '') !== '')
}

/** A box in the middle of the screen, drawn over the rest. Rows and columns of its edges. */
export interface Window {
  first: number
  last: number
  left: number
  right: number
}

const TOP = /[╭┌╔][─━═]{12,}[╮┐╗]/u
/** How much the left and right margins may differ: a box is centred up to rounding. */
const MARGIN_DIFFERENCE_MAX = 2
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
    if (left < MARGIN || Math.abs(left - (cols - 1 - right)) > MARGIN_DIFFERENCE_MAX) continue
    const height = rows.slice(first + 1).findIndex(row => /[╰└╚]/u.test(row.text[left] ?? ''))
    const last = first + 1 + height
    const isWhole =
      height > 1 &&
      /[╯┘╝]/u.test(rows[last]!.text[right] ?? '') &&
      rows.slice(first + 1, last).every(row => /[│┃║]/u.test(row.text[left] ?? ''))
    if (isWhole) return { first, last, left, right }
  }
  return findFilledWindow(rows, cols)
}

/** A filled window has at least this many rows; its margins may differ by a scroll bar. */
const FILLED_ROWS_MIN = 4
const FILLED_MARGIN_DIFFERENCE_MAX = 4

/**
 * A window without edges: one background in the same columns of consecutive rows. It covers words,
 * so that what is left of them ends at its side; code in an answer has nothing beside it.
 */
function findFilledWindow(rows: readonly ScreenRow[], cols: number): Window | null {
  for (let last = rows.length - 1; last >= FILLED_ROWS_MIN - 1; last--) {
    const sides = filledColumns(rows[last]!)
    if (!sides || sides.left < MARGIN || Math.abs(sides.left - (cols - 1 - sides.right)) > FILLED_MARGIN_DIFFERENCE_MAX)
      continue
    const isPart = (row: ScreenRow | undefined) => {
      const own = row && filledColumns(row)
      return own?.left === sides.left && own.right === sides.right
    }
    let first = last
    while (isPart(rows[first - 1])) first--
    const covered = rows.slice(first, last + 1).filter(row => /[\p{L}\p{N}]/u.test(row.text.slice(0, sides.left)))
    if (last - first + 1 >= FILLED_ROWS_MIN && covered.length >= 2) return { first, last, ...sides }
    last = first
  }
  return null
}

/** The columns from the first to the last cell with a background, if every cell between has one. */
const filledColumns = memoizeByObject((row: ScreenRow): { left: number; right: number } | null => {
  const at = row.spans.findIndex(span => span.bg !== null && span.x >= MARGIN)
  if (at < 0) return null
  let end = at
  while (row.spans[end + 1] && row.spans[end + 1]!.bg !== null) end++
  const { x, width } = row.spans[end]!
  return { left: row.spans[at]!.x, right: x + width - 1 }
})

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
