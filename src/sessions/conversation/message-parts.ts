import type { Block } from '../../screen/index.js'

/*
 * A turn may last for hours, and every look reads, compares and shows the open message. A long
 * message is therefore closed in parts: the cost of a step then depends on the length of a part,
 * not of the turn. Surfaces see several messages.
 *
 * The parts must be the same when the same bytes are read again after a restart, although they are
 * then read at other moments. So a part ends at the first boundary after a number of rows, as soon
 * as that boundary has left the screen: rows above the screen no longer change.
 *
 * A part never divides a piece (a text, a tool call, a result): the agent reports pieces, and a
 * reported text must be found in one message.
 */

/** A part has at least this many rows. */
const PART_ROWS = 100

/** Where the first part ends: how many blocks it has, and its last row; null if it is not long. */
export function partEnd(
  pieces: readonly (readonly Block[])[],
  screenStart: number,
): { count: number; lastRow: number } | null {
  const start = pieces[0]?.[0]?.rows[0] ?? 0
  let count = 0
  for (const [index, piece] of pieces.entries()) {
    const [first] = piece[0]!.rows
    if (first >= screenStart) return null
    if (index > 0 && first - start >= PART_ROWS) return { count, lastRow: first - 1 }
    count += piece.length
  }
  return null
}
