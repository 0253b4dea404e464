import { displayWidth } from '../../text/index.js'
import type { BlockContent, InlineRun } from './block.js'
import { inlineRuns, mergeRuns } from './inline.js'
import type { ProseRow, ProseStyle } from './prose-row.js'
import { isEmphasised } from './row-style.js'
import { cutSpans, spansText } from './text-row.js'

const EDGE = /^\s*[┌├└╭╰╔╠╚┏┣┗╞][─┬┼┴╮╯┐┤┘━┳╋┻┫┓┛╌═╦╬╩╗╣╝╪╡]+\s*$/u
const BARS = /^\s*[│┃║].*[│┃║]\s*$/u
const RULE = /^\s*[━─]{2,}(?: {1,}[━─]{2,})*\s*$/u

/** A row with more bars than this is a pattern, not a table. */
const BARS_MAX = 64

type Table = Extract<BlockContent, { kind: 'table' }>
/** `end`: after the last cell of the column; `reach`: how far its text may extend. */
type Column = [first: number, end: number, reach: number]

interface Cell {
  runs: InlineRun[]
  text: string
  /** Blanks before and after the text. */
  pad: [left: number, right: number]
}

/** The last row of the table that starts here, or -1: a frame, or a bold row and rules. */
export function tableEnd(rows: readonly ProseRow[], at: number): number {
  const { text } = rows[at]!
  if (EDGE.test(text) && hasBars(rows[at + 1]?.text ?? '│ │', 1)) return lastWhile(rows, at, isFrameRow)
  if (hasBars(text, 3)) return lastWhile(rows, at, isFrameRow)
  const below = rows[at + 1]
  if (below && isEmphasised(rows[at]!.row, rows[at]!.from) && /^\s*━{2,}(?: +━{2,}){0,63}\s*$/u.test(below.text))
    return lastWhile(rows, at, row => row.indent >= 0)
  return -1
}

function isFrameRow({ text }: ProseRow): boolean {
  return EDGE.test(text) || hasBars(text, 1)
}

function hasBars(text: string, least: number): boolean {
  if (!BARS.test(text)) return false
  const count = text.match(/[│┃║]/gu)?.length ?? 0
  return count >= least && count <= BARS_MAX
}

function lastWhile(rows: readonly ProseRow[], at: number, holds: (row: ProseRow) => boolean): number {
  let end = at
  while (end + 1 < rows.length && holds(rows[end + 1]!)) end++
  return end
}

export function readTable(rows: readonly ProseRow[], style: ProseStyle): BlockContent {
  const isFramed = rows.some(row => EDGE.test(row.text) || BARS.test(row.text))
  const columns = isFramed ? barColumns(rows) : ruleColumns(rows)
  const groups: Cell[][][] = [[]]
  for (const row of rows) {
    if (isFramed ? EDGE.test(row.text) : RULE.test(row.text)) groups.push([])
    else groups.at(-1)!.push(columns.map(column => cellOf(row, column, style)))
  }
  const filled = groups.filter(group => group.length > 0)
  // Rules between all rows: everything between two of them is one row, however often its cells were
  // wrapped.
  const isRuled = filled.length > 2
  const logical = filled.flatMap((group, index) =>
    isRuled || index === 0 ? [group.reduce((above, below) => joinCells(above, below))] : joinBroken(group, columns),
  )
  const [header = [], ...body] = logical
  return {
    kind: 'table',
    header: header.map(cell => plainHeader(cell.runs)),
    body: body.map(cells => cells.map(cell => cell.runs)),
    align: header.map((_, column) =>
      alignment(
        filled
          .slice(1)
          .flat()
          .map(cells => cells[column]!),
      ),
    ),
  }
}

/** Bold is the normal style of headers. */
function plainHeader(runs: readonly InlineRun[]): InlineRun[] {
  return mergeRuns(runs.map(({ bold: _, ...run }) => run))
}

/** Cells are between the bars of the row that has most of them. */
function barColumns(rows: readonly ProseRow[]): Column[] {
  let best: number[] = []
  for (const { row, from } of rows) {
    const bars: number[] = []
    let column = from
    for (const character of spansText(cutSpans(row.spans, from))) {
      if (/[│┃║┌┬┐├┼┤└┴┘╭╮╰╯╔╦╗╠╬╣╚╩╝╪╞╡┏┳┓┣╋┫┗┻┛]/u.test(character)) bars.push(column)
      column += displayWidth(character)
    }
    if (bars.length > best.length) best = bars
  }
  return best.slice(1).map((end, index) => [best[index]! + 1, end, end])
}

/** Cells are above the runs of the rule, and reach to the start of the next. */
function ruleColumns(rows: readonly ProseRow[]): Column[] {
  const rule = rows.find(row => RULE.test(row.text))!
  const runs = [...rule.text.matchAll(/[━─]+/gu)].map(match => ({
    first: rule.from + match.index,
    end: rule.from + match.index + match[0].length,
  }))
  return runs.map(({ first, end }, index) => [first, end, runs[index + 1]?.first ?? Number.POSITIVE_INFINITY])
}

function cellOf({ row }: ProseRow, [first, end, reach]: Column, style: ProseStyle): Cell {
  const spans = cutSpans(row.spans, first, reach)
  const text = spansText(spans)
  const trimmed = text.trim()
  const left = displayWidth(text) - displayWidth(text.trimStart())
  return {
    runs: inlineRuns(spans, style.body),
    text: trimmed,
    pad: [left, Math.max(0, end - first - left - displayWidth(trimmed))],
  }
}

function joinCells(above: readonly Cell[], below: readonly Cell[]): Cell[] {
  return above.map((cell, column) => {
    const next = below[column]
    if (!next || next.text === '') return cell
    if (cell.text === '') return next
    return {
      runs: mergeRuns([...cell.runs, { text: ' ' }, ...next.runs]),
      text: `${cell.text} ${next.text}`,
      pad: cell.pad,
    }
  })
}

/**
 * Rows without rules between them: a row continues the one above if some cells are empty and the
 * text of the others would not have fitted there.
 */
function joinBroken(rows: readonly Cell[][], columns: readonly Column[]): Cell[][] {
  const joined: Cell[][] = []
  let physical: Cell[] | null = null
  for (const cells of rows) {
    if (
      physical &&
      cells.some(cell => cell.text === '') &&
      cells.every((cell, column) => cell.text === '' || isBroken(physical![column]!, cell, columns[column]!))
    ) {
      joined[joined.length - 1] = joinCells(joined.at(-1)!, cells)
    } else joined.push(cells)
    physical = cells
  }
  return joined
}

function isBroken(above: Cell, below: Cell, [first, end]: Column): boolean {
  const room = end - first - 2
  const word = below.text.split(/\s/u)[0]!
  return above.text !== '' && displayWidth(above.text) + 1 + displayWidth(word) > room
}

function alignment(cells: readonly Cell[]): Table['align'][number] {
  const filled = cells.filter(cell => cell.text !== '')
  const left = filled.map(cell => cell.pad[0])
  const right = filled.map(cell => cell.pad[1])
  const isFlush = (pads: number[]) => pads.every(pad => pad <= 1)
  if (filled.length === 0 || isFlush(left)) return 'left'
  if (isFlush(right)) return 'right'
  return left.every((pad, index) => Math.abs(pad - right[index]!) <= 1) ? 'center' : 'left'
}
