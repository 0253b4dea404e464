import { COLOR, FAINT, type Line, type Style } from './style.js'
import { fillLine, fitLine } from './wrap.js'

export interface DiffRow {
  kind: 'same' | 'add' | 'del' | 'gap'
  /** Line number in the new text; for a deleted row in the old one. */
  number: number
  text: string
}

const CONTEXT = 2

/** The changed lines of a text with a little of what stands around them. */
export function diffRows(before: string, after: string): DiffRow[] {
  const rows = alignLines(splitLines(before), splitLines(after))
  const near = rows.map((_, index) =>
    rows.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(row => row.kind !== 'same'),
  )
  const kept: DiffRow[] = []
  rows.forEach((row, index) => {
    if (near[index]) {
      if (index > 0 && !near[index - 1] && kept.length > 0) kept.push({ kind: 'gap', number: 0, text: '' })
      kept.push(row)
    }
  })
  return kept
}

export function diffStat(rows: DiffRow[]): { added: number; removed: number } {
  return {
    added: rows.filter(row => row.kind === 'add').length,
    removed: rows.filter(row => row.kind === 'del').length,
  }
}

/** `  12 - text`: number gutter, mark, text, on a red or green background as wide as the room. */
export function diffLines(rows: DiffRow[], width: number): Line[] {
  const digits = String(Math.max(0, ...rows.map(row => row.number))).length
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

const MARKS = { same: ' ', add: '+', del: '-' } as const
const STYLES: Record<'same' | 'add' | 'del', Style> = {
  same: {},
  add: { fg: COLOR.green, bg: COLOR.addBg },
  del: { fg: COLOR.red, bg: COLOR.delBg },
}

function background(style: Style): Style {
  return style.bg ? { bg: style.bg } : {}
}

function splitLines(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Longest common subsequence over the part that differs; files here are small. */
function alignLines(before: string[], after: string[]): DiffRow[] {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1
  let tail = 0
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail += 1
  const left = before.slice(head, before.length - tail)
  const right = after.slice(head, after.length - tail)
  const rows: DiffRow[] = before.slice(0, head).map((text, index) => ({ kind: 'same', number: index + 1, text }))
  const table = commonLengths(left, right)
  let i = 0
  let j = 0
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      rows.push({ kind: 'same', number: head + ++j, text: left[i++]! })
    } else if (j >= right.length || (i < left.length && table[i + 1]![j]! >= table[i]![j + 1]!)) {
      rows.push({ kind: 'del', number: head + ++i, text: left[i - 1]! })
    } else rows.push({ kind: 'add', number: head + ++j, text: right[j - 1]! })
  }
  for (let k = tail; k > 0; k--)
    rows.push({ kind: 'same', number: after.length - k + 1, text: after[after.length - k]! })
  return rows
}

function commonLengths(left: string[], right: string[]): number[][] {
  const table = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0))
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      table[i]![j] = left[i] === right[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!)
  return table
}
