export interface DiffLine {
  kind: 'same' | 'added' | 'removed'
  /** The line's number in the new text; for a removed line, in the old one. */
  number: number
  text: string
}

/** Equal lines that a shortened diff leaves out. */
export interface DiffGap {
  kind: 'gap'
  count: number
}

/** Above this many pairs of lines (16 MB of table) the part that differs counts as replaced. */
const PAIRS_MAX = 4_000_000

/**
 * Which lines to remove from one text and to add to get the other: a longest common subsequence.
 */
export function lineDiff(before: readonly string[], after: readonly string[]): DiffLine[] {
  const shortest = Math.min(before.length, after.length)
  let head = 0
  while (head < shortest && before[head] === after[head]) head++
  let tail = 0
  while (tail < shortest - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const same = (index: number): DiffLine => ({ kind: 'same', number: index + 1, text: after[index]! })
  return [
    ...Array.from({ length: head }, (_, index) => same(index)),
    ...alignLines(before.slice(head, before.length - tail), after.slice(head, after.length - tail), head),
    ...Array.from({ length: tail }, (_, index) => same(after.length - tail + index)),
  ]
}

/** Leaves out the equal lines that are more than `context` lines away from a change. */
export function shortenDiff(lines: readonly DiffLine[], context: number): (DiffLine | DiffGap)[] {
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - context), index + context + 1).some(({ kind }) => kind !== 'same')
  const shown: (DiffLine | DiffGap)[] = []
  lines.forEach((line, index) => {
    const last = shown.at(-1)
    if (isNear(index)) shown.push(line)
    else if (last?.kind === 'gap') last.count++
    else shown.push({ kind: 'gap', count: 1 })
  })
  return shown
}

function alignLines(before: readonly string[], after: readonly string[], offset: number): DiffLine[] {
  const lines: DiffLine[] = []
  const remove = (index: number) => lines.push({ kind: 'removed', number: offset + index + 1, text: before[index]! })
  const add = (index: number) => lines.push({ kind: 'added', number: offset + index + 1, text: after[index]! })
  const common = commonLengths(before, after)
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    if (common && i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ kind: 'same', number: offset + j + 1, text: after[j]! })
      i++
      j++
    } else if (j >= after.length || (i < before.length && (!common || common[i + 1]![j]! >= common[i]![j + 1]!)))
      remove(i++)
    else add(j++)
  }
  return lines
}

/** The length of the longest common subsequence from each pair of places to the ends. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array[] | null {
  if (before.length * after.length > PAIRS_MAX) return null
  const table = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1))
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      table[i]![j] = before[i] === after[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!)
  return table
}
