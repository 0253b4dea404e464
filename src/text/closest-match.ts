/** The candidate that a person most likely meant, if one is close: "did you mean …?". */
export function closestMatch(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase()
  // A third of the word may be wrong; beyond that a suggestion does not help.
  let limit = Math.max(1, Math.floor(word.length / 3))
  let best: string | undefined
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase(), limit)
    if (distance > limit || (distance === limit && best !== undefined)) continue
    best = candidate
    limit = distance
    if (distance === 0) break
  }
  return best
}

/** Insertions, deletions, replacements and swaps of neighbours; stops above `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1]
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1))
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (isSwap) cost = Math.min(cost, beforeLast[column - 2]! + 1)
      current.push(cost)
    }
    if (Math.min(...current) > limit) return limit + 1
    beforeLast = last
    last = current
  }
  return last[b.length]!
}
