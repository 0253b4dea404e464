import { inlineSpans } from './inline.js'
import { BOLD, FAINT, type Line } from './style.js'
import { lineWidth, wrapSpans } from './wrap.js'

export type Align = 'left' | 'right' | 'center'

export interface Table {
  header: string[]
  align: Align[]
  rows: string[][]
}

/** A table with box drawing and wrapped cells; without room, `header: value` rows. */
export function tableLines(table: Table, width: number): Line[] {
  const columns = table.header.length
  const natural = table.header.map((head, column) =>
    Math.max(...[head, ...table.rows.map(row => row[column] ?? '')].map(cell => cellWidth(cell))),
  )
  const room = width - (3 * columns + 1)
  if (room < columns * 3) return flatLines(table, width)
  const widths = shrink(natural, room)
  const edge = (left: string, middle: string, right: string): Line => [
    { text: left + widths.map(size => '─'.repeat(size + 2)).join(middle) + right, style: FAINT },
  ]
  const lines: Line[] = [edge('┌', '┬', '┐'), ...rowLines(table.header, widths, table.align, true), edge('├', '┼', '┤')]
  for (const row of table.rows) lines.push(...rowLines(row, widths, table.align, false))
  lines.push(edge('└', '┴', '┘'))
  return lines
}

function rowLines(cells: string[], widths: number[], align: Align[], isHeader: boolean): Line[] {
  const wrapped = widths.map((width, column) =>
    wrapSpans(inlineSpans(cells[column] ?? '', isHeader ? BOLD : {}), { width }),
  )
  const height = Math.max(...wrapped.map(lines => lines.length))
  return Array.from({ length: height }, (_, index) => {
    const line: Line = [{ text: '│', style: FAINT }]
    wrapped.forEach((lines, column) => {
      const cell = lines[index] ?? []
      const spare = widths[column]! - lineWidth(cell)
      const before = align[column] === 'right' ? spare : align[column] === 'center' ? spare >> 1 : 0
      line.push({ text: ' '.repeat(before + 1), style: {} }, ...cell)
      line.push({ text: ' '.repeat(spare - before + 1), style: {} }, { text: '│', style: FAINT })
    })
    return line
  })
}

function flatLines(table: Table, width: number): Line[] {
  return table.rows.flatMap(row =>
    table.header.flatMap((head, column) =>
      wrapSpans([{ text: `${head}: `, style: BOLD }, ...inlineSpans(row[column] ?? '')], { width }),
    ),
  )
}

function cellWidth(cell: string): number {
  return lineWidth(inlineSpans(cell))
}

/** Narrows the widest column until the row fits. */
function shrink(natural: number[], room: number): number[] {
  const widths = natural.map(width => Math.max(1, width))
  let total = widths.reduce((sum, width) => sum + width, 0)
  while (total > room) {
    widths[widths.indexOf(Math.max(...widths))]! -= 1
    total -= 1
  }
  return widths
}
