import type { Row } from '../../terminal/index.js'
import type { Pack } from '../pack/pack.js'
import type { BlockContent, InlineRun } from './block.js'
import { inlineRuns, mergeRuns } from './inline.js'

/** A table drawn with box characters: cells by column, cells that were wrapped over several rows joined again. */
export function parseTable(rows: readonly Row[], strip: number, pack: Pack): BlockContent {
  const groups: InlineRun[][][][] = [[]]
  for (const row of rows) {
    if (/[├┼┤╞╪]|[┌┬┐└┴┘╭╮╰╯]/u.test(row.text)) groups.push([])
    else groups.at(-1)!.push(splitCells(inlineRuns(row, strip, pack)))
  }
  const [header = [], ...body] = groups.filter(group => group.length > 0).flatMap(joinWrapped)
  return { kind: 'table', header, body, align: header.map(() => 'left') }
}

function splitCells(runs: readonly InlineRun[]): InlineRun[][] {
  const cells: InlineRun[][] = []
  let current: InlineRun[] | null = null
  for (const run of runs) {
    run.text.split(/[│┃]/u).forEach((text, index) => {
      if (index > 0) {
        if (current) cells.push(current)
        current = []
      }
      if (current && text !== '') current.push({ ...run, text })
    })
  }
  return cells.map(trimCell)
}

function trimCell(runs: InlineRun[]): InlineRun[] {
  const merged = mergeRuns(runs).filter(run => run.text !== '')
  if (merged.length === 0) return []
  merged[0] = { ...merged[0]!, text: merged[0]!.text.trimStart() }
  merged[merged.length - 1] = { ...merged.at(-1)!, text: merged.at(-1)!.text.trimEnd() }
  return merged.filter(run => run.text !== '')
}

/** Rows between two rules: one logical row when the table draws a rule between all of them, else one each. */
function joinWrapped(rows: InlineRun[][][]): InlineRun[][][] {
  const isContinued = (cells: InlineRun[][]) => cells[0]?.length === 0
  const joined: InlineRun[][][] = []
  for (const cells of rows) {
    const above = joined.at(-1)
    if (above && isContinued(cells)) {
      cells.forEach((cell, column) => {
        if (cell.length > 0) above[column] = mergeRuns([...(above[column] ?? []), { text: ' ' }, ...cell])
      })
    } else joined.push(cells)
  }
  return joined
}

export function parseDiff(lines: readonly string[]): BlockContent {
  return {
    kind: 'diff',
    lines: lines.map(line => {
      const match = /^\s*(?<number>\d+)?\s*(?<sign>[+-])?\s?(?<text>.*)$/u.exec(line)!
      const { number, sign, text } = match.groups!
      return { sign: (sign as '+' | '-' | undefined) ?? ' ', number: number === undefined ? null : Number(number), text: text!.trimEnd() }
    }),
  }
}
