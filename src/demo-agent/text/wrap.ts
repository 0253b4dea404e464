import { displayWidth, graphemes } from '../../text/index.js'
import type { Line, Span, Style } from './style.js'

interface Cell {
  text: string
  width: number
  style: Style
}

export interface WrapOptions {
  width: number
  /** The prefix of the first row, and that of every other row. Both count towards the width. */
  first?: Line
  rest?: Line
  /** Wraps anywhere and keeps every blank, as code and command output need it. */
  hard?: boolean
}

/** Wraps styled text at blanks and between wide characters; inside a word if it is too wide. */
export function wrapSpans(spans: Span[], options: WrapOptions): Line[] {
  const { first = [], rest = first.length > 0 ? indentOf(first) : [] } = options
  const roomFor = (lead: Line) => Math.max(1, options.width - lineWidth(lead))
  const rows: Cell[][] = []
  let row: Cell[] = []
  let used = 0
  let room = roomFor(first)
  const close = () => {
    rows.push(row)
    row = []
    used = 0
    room = roomFor(rest)
  }
  const put = (cells: Cell[]) => {
    for (const cell of cells) {
      if (used + cell.width > room && used > 0) close()
      row.push(cell)
      used += cell.width
    }
  }
  for (const token of tokenize(spans)) {
    if (token === 'newline') {
      close()
      continue
    }
    const width = token.reduce((sum, cell) => sum + cell.width, 0)
    const isBlank = token[0]!.text === ' '
    if (!options.hard && used > 0 && used + width > room) {
      if (isBlank) {
        close()
        continue
      }
      while (row.at(-1)?.text === ' ') row.pop()
      close()
    }
    if (isBlank && used === 0 && rows.length > 0 && !options.hard) continue
    put(token)
  }
  rows.push(row)
  return rows.map((cells, index) => fitLine([...(index === 0 ? first : rest), ...joinCells(cells)], options.width))
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, part) => sum + displayWidth(part.text), 0)
}

/** Cuts a line to a width; a wide character that would exceed it is dropped. */
export function fitLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line
  const cells: Cell[] = []
  let used = 0
  for (const cell of line.flatMap(cellsOf)) {
    if (used + cell.width > width) break
    cells.push(cell)
    used += cell.width
  }
  return joinCells(cells)
}

export function fillLine(line: Line, width: number, style: Style): Line {
  const missing = width - lineWidth(line)
  return missing > 0 ? [...line, { text: ' '.repeat(missing), style }] : line
}

function indentOf(lead: Line): Line {
  return [{ text: ' '.repeat(lineWidth(lead)), style: {} }]
}

function cellsOf(part: Span): Cell[] {
  return Array.from(graphemes(part.text), text => ({ text, width: displayWidth(text), style: part.style }))
}

function* tokenize(spans: Span[]): Generator<Cell[] | 'newline'> {
  let word: Cell[] = []
  for (const cell of spans.flatMap(cellsOf)) {
    const isNewline = cell.text === '\n' || cell.text === '\r\n'
    const standsAlone = cell.text === ' ' || cell.width === 2
    if ((isNewline || standsAlone) && word.length > 0) {
      yield word
      word = []
    }
    if (isNewline) yield 'newline'
    else if (standsAlone) yield [cell]
    else word.push(cell)
  }
  if (word.length > 0) yield word
}

function joinCells(cells: Cell[]): Line {
  const line: Line = []
  for (const cell of cells) {
    const last = line.at(-1)
    if (last && last.style === cell.style) last.text += cell.text
    else line.push({ text: cell.text, style: cell.style })
  }
  return line
}
