import { lineDiff as allLines, shortenDiff } from '../../../src/text/line-diff'

export interface DiffLine {
  sign: '+' | '-' | ' ' | '@'
  number: number | null
  text: string
}

/** Of longer texts only the first lines are compared: a diff of ten thousand lines is useless. */
const LINES_MAX = 1_500
/** Equal lines that are shown around a change. */
const CONTEXT = 2

const SIGN = { same: ' ', added: '+', removed: '-' } as const

/** Which lines to remove from one text and to add to get the other; equal parts are shortened. */
export function lineDiff(before: readonly string[], after: readonly string[]): DiffLine[] {
  const lines = shortenDiff(allLines(before.slice(0, LINES_MAX), after.slice(0, LINES_MAX)), CONTEXT)
  if (lines.every(({ kind }) => kind === 'gap')) return []
  return lines.map(line =>
    line.kind === 'gap'
      ? { sign: '@', number: null, text: line.count === 1 ? '1 equal line' : `${line.count} equal lines` }
      : { sign: SIGN[line.kind], number: line.number, text: line.text },
  )
}

export function isSame(lines: readonly DiffLine[]): boolean {
  return lines.length === 0
}
