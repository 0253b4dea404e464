import type { Row } from './frame.js'
import { memoizeByObject } from './memoize-by-object.js'
import { hashText } from './row-hash.js'
import { matchSequences } from './sequence-match.js'

/*
 * What changed between two frames? Agents redraw in place: a list grows by a row and everything
 * below moves down one row. Compared by row number, half the screen would be new; compared as a set
 * of texts, a repeated line would be lost. So the two lists of rows are aligned in order, and a row
 * that only moved has not changed.
 *
 * 1. Mask. Volatile text (spinner, elapsed time, token counter) is removed; the caller says what is
 *    volatile. Rows that differ only in masked text are *motion*.
 * 2. Match the masked hashes in order: first rows that occur once on both sides, then the rows
 *    between them (sequence-match.ts).
 * 3. Accept a shift only if at least three distinct rows with text agree on it: `}` below `}`
 *    matches anything. A shift is counted in ids, not in screen rows, so scrolling is not a shift.
 * 4. Everything unmatched is compared by position: with the row of the same id, shifted like the
 *    match above it.
 *
 * Out of scope: which rows are worth reading, and repeated rows after a resize.
 */

/** The text of a row without its volatile parts. */
export type RowMask = (row: Row) => string

interface RowPair {
  from: Row
  to: Row
}

export interface RowChanges {
  /** Rows of `next` without a counterpart in `prev`. */
  added: Row[]
  changed: RowPair[]
  /** Rows that differ only in masked text. */
  motion: RowPair[]
  /** Same text, different id. */
  moved: RowPair[]
  /** Rows of `prev` without a counterpart in `next`. */
  removed: Row[]
}

const SHIFT_ROWS_MIN = 3

const unmasked: RowMask = row => row.text

/** Removes every match of the patterns; global and linear: they run on every row. */
export function createMask(volatile: readonly RegExp[]): RowMask {
  if (volatile.length === 0) return unmasked
  return memoizeByObject(row => volatile.reduce((text, pattern) => text.replace(pattern, '\0'), row.text))
}

export function rowChanges(before: readonly Row[], after: readonly Row[], mask: RowMask = unmasked): RowChanges {
  const [first, end] = sameEnds(before, after)
  return changesBetween(before.slice(first, end), after.slice(first, end + after.length - before.length), mask)
}

/**
 * The same row objects at the top and at the bottom match without a shift, whatever is between:
 * they carry no information about other rows, and usually they are almost all rows.
 */
function sameEnds(before: readonly Row[], after: readonly Row[]): [first: number, end: number] {
  let first = 0
  let end = before.length
  if (after.length !== end) return [first, end]
  while (first < end && before[first] === after[first]) first++
  while (end > first && before[end - 1] === after[end - 1]) end--
  return [first, end]
}

function changesBetween(prev: readonly Row[], next: readonly Row[], mask: RowMask): RowChanges {
  const before = hashes(prev, mask)
  const after = hashes(next, mask)
  const matches = acceptedMatches(prev, next, before, after)
  const result: RowChanges = { added: [], changed: [], motion: [], moved: [], removed: [] }
  let p = 0
  let n = 0
  let shift = 0
  for (const [toPrev, toNext] of [...matches, [prev.length, next.length] as const]) {
    compareByPosition(prev.slice(p, toPrev), next.slice(n, toNext), shift, mask, result)
    const from = prev[toPrev]
    const to = next[toNext]
    if (from && to) {
      sortPair({ from, to }, true, result)
      shift = to.id - from.id
    }
    p = toPrev + 1
    n = toNext + 1
  }
  return result
}

const maskedHashes = new WeakMap<RowMask, (row: Row) => number>()

function hashes(rows: readonly Row[], mask: RowMask): number[] {
  if (mask === unmasked) return rows.map(row => row.hash)
  const hash = maskedHashes.get(mask) ?? memoizeByObject((row: Row) => hashText(mask(row)))
  maskedHashes.set(mask, hash)
  return rows.map(hash)
}

type Match = readonly [prevIndex: number, nextIndex: number]

function acceptedMatches(prev: readonly Row[], next: readonly Row[], before: number[], after: number[]): Match[] {
  const matches = matchSequences(before, after)
  const rowsByShift = new Map<number, Set<number>>()
  for (const [p, n] of matches) {
    if (prev[p]!.text === '') continue
    const shift = next[n]!.id - prev[p]!.id
    rowsByShift.set(shift, (rowsByShift.get(shift) ?? new Set()).add(before[p]!))
  }
  return matches.filter(([p, n]) => {
    const shift = next[n]!.id - prev[p]!.id
    return shift === 0 || (rowsByShift.get(shift)?.size ?? 0) >= SHIFT_ROWS_MIN
  })
}

function compareByPosition(
  prev: readonly Row[],
  next: readonly Row[],
  shift: number,
  mask: RowMask,
  result: RowChanges,
): void {
  const unpaired = new Map(prev.map(row => [row.id + shift, row]))
  for (const to of next) {
    const from = unpaired.get(to.id)
    if (!from) {
      result.added.push(to)
      continue
    }
    unpaired.delete(to.id)
    sortPair({ from, to }, mask(from) === mask(to), result)
  }
  result.removed.push(...unpaired.values())
}

function sortPair(pair: RowPair, isMaskedEqual: boolean, result: RowChanges): void {
  if (!isMaskedEqual) result.changed.push(pair)
  else if (pair.from.text !== pair.to.text) result.motion.push(pair)
  else if (pair.from.id !== pair.to.id) result.moved.push(pair)
}
