import { displayWidth } from '../../text/index.js'
import type { TextRow } from './text-row.js'
import { isContinuation } from './unwrap.js'

/*
 * After a resize the normal buffer contains rows that were drawn at another width, and nothing on
 * the screen says which. But a paragraph shows its width: at the right one every row but the last
 * is full. So each part of the text gets the width, of those the screen has had, at which most of
 * its rows are full; the current one in a tie.
 */
export function inferWidths(
  rows: readonly TextRow[],
  widths: readonly number[],
  rightAt: (cols: number) => number,
): TextRow[] {
  if (new Set(widths).size < 2) return [...rows]
  const inferred: TextRow[] = []
  for (let at = 0; at < rows.length; ) {
    let end = at
    while (end < rows.length && rows[end]!.text.trim() !== '') end++
    const chunk = rows.slice(at, end)
    const cols = bestWidth(chunk, widths, rightAt)
    inferred.push(
      ...chunk.map(row => (row.cols === undefined && cols !== null ? { ...row, cols } : row)),
      ...rows.slice(end, end + 1),
    )
    at = end + 1
  }
  return inferred
}

/** `widths`: the current one first. */
function bestWidth(
  chunk: readonly TextRow[],
  widths: readonly number[],
  rightAt: (cols: number) => number,
): number | null {
  if (chunk.length < 2) return null
  const measured = chunk.map(({ text }) => ({ text, width: displayWidth(text) }))
  const widest = Math.max(...measured.map(row => row.width))
  let best: number | null = null
  let most = -1
  for (const cols of new Set(widths)) {
    if (widest > rightAt(cols)) continue
    const room = { right: rightAt(cols), left: 0 }
    const full = measured.filter((row, index) => {
      const below = measured[index + 1]
      return below !== undefined && isContinuation(row, below, room)
    }).length
    if (full > most) {
      most = full
      best = cols
    }
  }
  return best
}
