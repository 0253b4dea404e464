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

/**
 * Above this many pairs of lines (16 MB of table) the part that differs is first divided at lines
 * that occur once in both texts; without such lines it counts as replaced.
 */
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
    ...alignParts(before.slice(head, before.length - tail), after.slice(head, after.length - tail), head, head),
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

/** `old` and `now` are the numbers of the lines before the first one. */
function alignParts(before: readonly string[], after: readonly string[], old: number, now: number): DiffLine[] {
  if (before.length * after.length <= PAIRS_MAX) return alignLines(before, after, old, now)
  const anchors = anchorsOf(before, after)
  if (anchors.length === 0) return alignLines(before, after, old, now)
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  for (const [nextI, nextJ] of [...anchors, [before.length, after.length] as const]) {
    for (const line of alignParts(before.slice(i, nextI), after.slice(j, nextJ), old + i, now + j)) lines.push(line)
    if (nextJ < after.length) lines.push({ kind: 'same', number: now + nextJ + 1, text: after[nextJ]! })
    ;[i, j] = [nextI + 1, nextJ + 1]
  }
  return lines
}

/** Where lines are that occur once in each text: as many as are in the same order in both. */
function anchorsOf(before: readonly string[], after: readonly string[]): (readonly [number, number])[] {
  const places = (lines: readonly string[]) => {
    const found = new Map<string, number>()
    for (const [index, line] of lines.entries()) found.set(line, found.has(line) ? -1 : index)
    return found
  }
  const inAfter = places(after)
  const pairs = [...places(before)].flatMap(([line, i]): [number, number][] => {
    const j = inAfter.get(line) ?? -1
    return i < 0 || j < 0 ? [] : [[i, j]]
  })
  return longestRising(pairs)
}

/** The longest selection whose second numbers rise; the first ones do already. */
function longestRising(pairs: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  /** By length: the index of the pair that ends such a selection with the smallest number. */
  const ends: number[] = []
  const previous: number[] = []
  for (const [index, [, j]] of pairs.entries()) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (pairs[ends[middle]!]![1] < j) low = middle + 1
      else high = middle
    }
    previous[index] = low === 0 ? -1 : ends[low - 1]!
    ends[low] = index
  }
  const chosen: (readonly [number, number])[] = []
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at]!) chosen.unshift(pairs[at]!)
  return chosen
}

function alignLines(before: readonly string[], after: readonly string[], old: number, now: number): DiffLine[] {
  const lines: DiffLine[] = []
  const remove = (index: number) => lines.push({ kind: 'removed', number: old + index + 1, text: before[index]! })
  const add = (index: number) => lines.push({ kind: 'added', number: now + index + 1, text: after[index]! })
  const common = commonLengths(before, after)
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    if (common && i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ kind: 'same', number: now + j + 1, text: after[j]! })
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
