import { type DiffGap, type DiffLine, lineDiff, shortenDiff } from '../../text/index.js'
import { COLOR, FAINT, type Line, type Style } from './style.js'
import { fillLine, fitLine } from './wrap.js'

export type DiffRow = DiffLine | DiffGap

/** Unchanged lines that are shown around a change. */
const CONTEXT = 2

/** The changed lines of a text with their context. */
export function diffRows(before: string, after: string): DiffRow[] {
  const rows = shortenDiff(lineDiff(splitLines(before), splitLines(after)), CONTEXT)
  return rows.filter((row, index) => row.kind !== 'gap' || (index > 0 && index < rows.length - 1))
}

export function diffStat(rows: DiffRow[]): { added: number; removed: number } {
  return {
    added: rows.filter(row => row.kind === 'added').length,
    removed: rows.filter(row => row.kind === 'removed').length,
  }
}

/** `  12 - text`: number gutter, mark, text, on a red or green background over the whole width. */
export function diffLines(rows: DiffRow[], width: number): Line[] {
  const digits = String(Math.max(0, ...rows.map(row => (row.kind === 'gap' ? 0 : row.number)))).length
  return rows.map(row => {
    if (row.kind === 'gap') return [{ text: `${' '.repeat(digits)} ⋮`, style: FAINT }]
    const style = STYLES[row.kind]
    const line: Line = [
      { text: `${String(row.number).padStart(digits)} `, style: { ...FAINT, ...background(style) } },
      { text: `${MARKS[row.kind]} ${row.text.replaceAll('\t', '  ')}`, style },
    ]
    const fitted = fitLine(line, width)
    return style.bg ? fillLine(fitted, width, { bg: style.bg }) : fitted
  })
}

const MARKS = { same: ' ', added: '+', removed: '-' } as const
const STYLES: Record<DiffLine['kind'], Style> = {
  same: {},
  added: { fg: COLOR.green, bg: COLOR.addBg },
  removed: { fg: COLOR.red, bg: COLOR.delBg },
}

function background(style: Style): Style {
  return style.bg ? { bg: style.bg } : {}
}

function splitLines(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}
