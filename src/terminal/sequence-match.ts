/*
 * Matching pairs of two sequences, in order: patience diff, with Myers' algorithm where patience
 * finds nothing. Values that occur exactly once on both sides are reliable anchors; the longest run
 * of them in the same order on both sides (a longest increasing subsequence) splits the problem,
 * and each gap is solved the same way.
 */

export type Match = [a: number, b: number]

/** With more differences than this in one gap, its rows have nothing useful in common. */
const EDITS_MAX = 400

export function matchSequences(a: readonly number[], b: readonly number[]): Match[] {
  const matches: Match[] = []
  matchRange(a, 0, a.length, b, 0, b.length, matches)
  return matches
}

function matchRange(
  a: readonly number[],
  aStart: number,
  aEnd: number,
  b: readonly number[],
  bStart: number,
  bEnd: number,
  out: Match[],
): void {
  while (aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart]) out.push([aStart++, bStart++])
  const tail: Match[] = []
  while (aStart < aEnd && bStart < bEnd && a[aEnd - 1] === b[bEnd - 1]) tail.unshift([--aEnd, --bEnd])
  if (aStart < aEnd && bStart < bEnd) {
    const anchors = longestIncreasing(uniquePairs(a, aStart, aEnd, b, bStart, bEnd))
    if (anchors.length === 0) {
      for (const [i, j] of shortestEditMatches(a.slice(aStart, aEnd), b.slice(bStart, bEnd)))
        out.push([aStart + i, bStart + j])
    } else {
      let [i, j] = [aStart, bStart]
      for (const [anchorA, anchorB] of anchors) {
        matchRange(a, i, anchorA, b, j, anchorB, out)
        out.push([anchorA, anchorB])
        i = anchorA + 1
        j = anchorB + 1
      }
      matchRange(a, i, aEnd, b, j, bEnd, out)
    }
  }
  out.push(...tail)
}

function uniquePairs(
  a: readonly number[],
  aStart: number,
  aEnd: number,
  b: readonly number[],
  bStart: number,
  bEnd: number,
): Match[] {
  const inB = uniqueIndexes(b, bStart, bEnd)
  const pairs: Match[] = []
  for (const [value, index] of uniqueIndexes(a, aStart, aEnd)) {
    const other = inB.get(value)
    if (index >= 0 && other !== undefined && other >= 0) pairs.push([index, other])
  }
  return pairs
}

/** Value → its index, or -1 if it occurs more than once. In the order of first occurrence. */
function uniqueIndexes(values: readonly number[], start: number, end: number): Map<number, number> {
  const found = new Map<number, number>()
  for (let index = start; index < end; index++) found.set(values[index]!, found.has(values[index]!) ? -1 : index)
  return found
}

/** The longest subsequence whose second numbers increase; the first numbers increase already. */
function longestIncreasing(pairs: readonly Match[]): Match[] {
  const tails: number[] = []
  const before: number[] = []
  for (let index = 0; index < pairs.length; index++) {
    let low = 0
    let high = tails.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (pairs[tails[middle]!]![1] < pairs[index]![1]) low = middle + 1
      else high = middle
    }
    before[index] = low > 0 ? tails[low - 1]! : -1
    tails[low] = index
  }
  const run: Match[] = []
  for (let index = tails.at(-1) ?? -1; index >= 0; index = before[index]!) run.unshift(pairs[index]!)
  return run
}

/** Myers, "An O(ND) Difference Algorithm" (1986): the matches on a shortest edit path. */
function shortestEditMatches(a: readonly number[], b: readonly number[]): Match[] {
  const limit = Math.min(a.length + b.length, EDITS_MAX)
  const frontier = new Map<number, number>([[1, 0]])
  const history: Map<number, number>[] = []
  for (let edits = 0; edits <= limit; edits++) {
    history.push(new Map(frontier))
    for (let k = -edits; k <= edits; k += 2) {
      const goesDown = k === -edits || (k !== edits && furthest(frontier, k - 1) < furthest(frontier, k + 1))
      let x = goesDown ? furthest(frontier, k + 1) : furthest(frontier, k - 1) + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      frontier.set(k, x)
      if (x >= a.length && x - k >= b.length) return traceBack(a.length, b.length, history)
    }
  }
  return []
}

function traceBack(aLength: number, bLength: number, history: readonly Map<number, number>[]): Match[] {
  const matches: Match[] = []
  let x = aLength
  let y = bLength
  for (let edits = history.length - 1; edits >= 0; edits--) {
    const frontier = history[edits]!
    const k = x - y
    const goesDown = k === -edits || (k !== edits && furthest(frontier, k - 1) < furthest(frontier, k + 1))
    const previousK = goesDown ? k + 1 : k - 1
    const previousX = edits === 0 ? 0 : furthest(frontier, previousK)
    const previousY = edits === 0 ? 0 : previousX - previousK
    while (x > previousX && y > previousY) matches.unshift([--x, --y])
    x = previousX
    y = previousY
  }
  return matches
}

function furthest(frontier: Map<number, number>, k: number): number {
  return frontier.get(k) ?? -1
}
