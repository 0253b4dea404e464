import type { Frame } from '../../terminal/index.js'
import { isGrey } from '../style-match.js'
import { confirmsOrLeaves, fragments } from './menu-head.js'
import { type MenuRow, spanFrom } from './menu-rows.js'

/*
 * A dialog that is answered with text: a question above, one field, and below it the keys that
 * submit or cancel. The field starts with a prompt glyph, or has its own frame. An input box
 * differs only in its footer: it names other things, or keys that do not cancel.
 */
export interface TextField {
  row: number
  value: string
  placeholder: string
  /** The cursor is in the field: the hardware cursor, or a cell that is drawn inverse. */
  holdsCursor: boolean
}

const SIGN = /^\s*[›>❯▸»]\s+(?=\S|$)/u
const PLACEHOLDER =
  /^(?:type\b|enter (?:your|a|an) |paste (?:your|the|a) |write (?:your|a) |add (?:notes|your)|tell \S+ |your answer|e\.g\.)/iu
/** Blank rows that a field of several lines may leave below. */
const AIR = 10

export function findTextField(frame: Frame, rows: readonly MenuRow[]): TextField | null {
  const footer = rows.findLastIndex(row => !row.isBlank && !row.isRule)
  const hints = rows.slice(Math.max(0, footer - 1), footer + 1)
  // Wrapped hints are read as one row, too.
  const asOne = { text: hints.map(row => row.text.trim()).join(' ') }
  if (footer < 2 || ![...hints, asOne].some(row => confirmsOrLeaves(row))) return null
  const field = rows
    .slice(0, footer)
    .findLast(row => !row.isBlank && !row.isFrame && !row.isRule && fragments(row).length === 0)
  if (!field || footer - field.index > AIR) return null
  const isFramed = rows[field.index - 1]?.isFrame === true && rows[field.index + 1]?.isFrame === true
  const sign = SIGN.exec(field.text)?.[0]
  if (sign === undefined && !isFramed) return null
  if (!rows.slice(0, field.index).some(row => !row.isBlank && !row.isFrame && !row.isRule)) return null
  const column = sign?.length ?? field.indent
  const text = field.text.slice(column).trim()
  // Two columns: an entry of a list.
  if (/\S\s{2,}\S/u.test(text)) return null
  const isPlaceholder = PLACEHOLDER.test(text) || isFaint(field, column)
  return {
    row: field.index,
    value: isPlaceholder ? '' : text,
    placeholder: isPlaceholder ? text : '',
    holdsCursor: frame.cursor.y === field.index || field.spans.some(span => span.inverse && span.width === 1),
  }
}

function isFaint(row: MenuRow, column: number): boolean {
  const span = spanFrom(row, column + 1)
  return span !== undefined && (span.dim || isGrey(span.fg))
}
