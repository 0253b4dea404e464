import type { Frame, Row, Span } from '../../terminal/index.js'

/** A row as the menu parser sees it: box edges and scroll bars blanked out, columns kept. */
export interface MenuRow {
  index: number
  text: string
  spans: Span[]
  isBlank: boolean
  isRule: boolean
  isFrame: boolean
  /** Had a vertical box edge on the left. */
  isBoxed: boolean
}

const LEFT_EDGE = /^(\s*)[│┃║|](?=\s|$)/u
const RIGHT_EDGE = /[│┃║█▐▌|](\s*)$/u
const EDGE_ROW = /^[\s]*[╭┌╔├╠└╰╚][─━═╌┄ \p{L}\p{N}.,:/()-]*[╮┐╗┤╣┘╯╝]?\s*$/u
const RULE_ROW = /^\s*[─━═▔▁]{8,}\s*$/u
/** A dashed frame around a command or a diff inside a menu: belongs to its body. */
const FRAME_ROW = /^\s*[╌┄]{4,}\s*$/u

export function menuRows(frame: Frame): MenuRow[] {
  return frame.lines.map((row, index) => toMenuRow(row, index))
}

function toMenuRow(row: Row, index: number): MenuRow {
  const isEdge = EDGE_ROW.test(row.text) || RULE_ROW.test(row.text)
  const isBoxed = LEFT_EDGE.test(row.text)
  const withoutLeft = row.text.replace(LEFT_EDGE, (_, indent: string) => `${indent} `)
  const text = (isBoxed ? withoutLeft.replace(RIGHT_EDGE, ' $1') : withoutLeft).trimEnd()
  return { index, text, spans: row.spans, isBlank: text.trim() === '' && !isEdge, isRule: isEdge, isFrame: FRAME_ROW.test(row.text), isBoxed }
}

/** Column of the first visible character; -1 for a blank row. */
export function columnOf(text: string): number {
  return text.search(/[^\s\u00a0]/u)
}
