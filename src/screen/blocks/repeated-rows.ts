/** Shorter repetitions are part of the text. */
const BAND_ROWS = 3

/**
 * After a resize some agents print the end of the transcript a second time. At least three rows
 * that equal the rows directly above them are such a copy if they are `isSuspect` (appeared right
 * after a resize), and are dropped. Blank rows alone are not a copy.
 */
export function dropRepeatedRows<T extends { text: string }>(rows: readonly T[], isSuspect: (row: T) => boolean): T[] {
  const kept: T[] = []
  for (let at = 0; at < rows.length; ) {
    const length = isSuspect(rows[at]!) ? bandLength(kept, rows, at) : 0
    if (length === 0) kept.push(rows[at]!)
    at += Math.max(1, length)
  }
  return kept
}

/** The longest run that starts here and equals the run that ends right above. */
function bandLength<T extends { text: string }>(above: readonly T[], rows: readonly T[], at: number): number {
  for (let length = Math.min(above.length, rows.length - at); length >= BAND_ROWS; length--) {
    const start = above.length - length
    let filled = 0
    let same = 0
    while (same < length && above[start + same]!.text.trimEnd() === rows[at + same]!.text.trimEnd()) {
      if (rows[at + same]!.text.trim() !== '') filled++
      same++
    }
    if (same === length && filled >= BAND_ROWS) return length
  }
  return 0
}
