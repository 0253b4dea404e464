import { displayWidth, graphemes } from '../../text/index.js'
import { COLOR, type Line } from '../text/style.js'
import { fitLine } from '../text/wrap.js'
import type { Composer } from './composer.js'
import { PROMPT } from './entry-lines.js'

export interface DraftLines {
  lines: Line[]
  cursor: { row: number; column: number }
}

/**
 * The draft with its prompt glyph, wrapped at the edge, at most `maxRows` high around the cursor.
 */
export function draftLines(
  composer: Composer,
  placeholder: string,
  width: number,
  maxRows: number,
  isBusy: boolean,
): DraftLines {
  const glyph: Line = [{ text: `${PROMPT} `, style: { fg: isBusy ? COLOR.steel : COLOR.blue, bold: true } }]
  if (composer.text === '')
    return {
      lines: [fitLine([...glyph, { text: placeholder, style: { fg: COLOR.steel, dim: true } }], width)],
      cursor: { row: 0, column: Math.min(2, width - 1) },
    }
  const room = Math.max(1, width - 2)
  const rows: string[] = ['']
  let used = 0
  let cursor = { row: 0, column: 0 }
  const cells = [...graphemes(composer.text)]
  cells.forEach((cell, index) => {
    const size = displayWidth(cell)
    if (cell !== '\n' && used + size > room) {
      rows.push('')
      used = 0
    }
    if (index === composer.cursor) cursor = { row: rows.length - 1, column: used }
    if (cell === '\n') {
      rows.push('')
      used = 0
    } else {
      rows[rows.length - 1] += cell
      used += size
    }
  })
  if (composer.cursor >= cells.length) {
    if (used >= room) {
      rows.push('')
      used = 0
    }
    cursor = { row: rows.length - 1, column: used }
  }
  const from = Math.max(0, Math.min(cursor.row - (maxRows >> 1), rows.length - maxRows))
  const lines = rows
    .slice(from, from + maxRows)
    .map<Line>((text, index) =>
      fitLine([...(index + from === 0 ? glyph : [{ text: '  ', style: {} }]), { text, style: {} }], width),
    )
  return { lines, cursor: { row: cursor.row - from, column: Math.min(width - 1, cursor.column + 2) } }
}
