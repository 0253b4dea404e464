export interface DiffLine {
  sign: '+' | '-' | ' ' | '@'
  number: number | null
  text: string
}

/** Of longer texts only the first lines are compared. */
const LINES_MAX = 1_500
/** Equal lines that are shown around a change. */
const CONTEXT_LINES = 2

/**
 * The lines to remove and to add to turn one text into the other; longer equal parts are replaced
 * by their count.
 */
export function lineDiff(before: readonly string[], after: readonly string[]): DiffLine[] {
  const a = before.slice(0, LINES_MAX)
  const b = after.slice(0, LINES_MAX)
  return shorten(walk(a, b, lengthsOf(a, b)))
}

/**
 * The length of the longest common subsequence of lines, from each pair of positions to the ends.
 */
function lengthsOf(a: readonly string[], b: readonly string[]): Uint16Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i]![j] = a[i] === b[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!)
  return table
}

function walk(a: readonly string[], b: readonly string[], table: readonly Uint16Array[]): DiffLine[] {
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: ' ', number: j + 1, text: b[j]! })
      i++
      j++
    } else if (j >= b.length || (i < a.length && table[i + 1]![j]! >= table[i]![j + 1]!)) {
      lines.push({ sign: '-', number: i + 1, text: a[i]! })
      i++
    } else {
      lines.push({ sign: '+', number: j + 1, text: b[j]! })
      j++
    }
  }
  return lines
}

function shorten(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some(({ sign }) => sign !== ' ')
  const shown: DiffLine[] = []
  let left = 0
  const mark = () => {
    if (left > 0) shown.push({ sign: '@', number: null, text: left === 1 ? '1 equal line' : `${left} equal lines` })
    left = 0
  }
  lines.forEach((line, index) => {
    if (!isNear(index)) {
      left++
      return
    }
    mark()
    shown.push(line)
  })
  if (shown.length > 0) mark()
  return shown
}

export function isSame(lines: readonly DiffLine[]): boolean {
  return lines.every(({ sign }) => sign === ' ' || sign === '@')
}
