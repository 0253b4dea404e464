import { memoizeByObject, type Span } from '../../terminal/index.js'
import type { ScreenRow } from '../screen-row.js'

/** A row as the menu parser reads it: box edges and gutters are blanked, columns stay the same. */
export interface MenuRow {
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
