import type { Frame } from './frame.js'

/**
 * Whether two frames show the same: the very same rows, the cursor in the same place. Programs end an update many times a second in which
 * they have drawn nothing, or only turned a spinner in their title. What differs between such frames is time and title, and nothing else.
 */
export function hasSameContent(before: Frame, after: Frame): boolean {
  if (before === after) return true
  const { lines, cursor, cols, rows, buffer, isPlainText: still } = before
  return (
    lines.length === after.lines.length &&
    cursor.x === after.cursor.x &&
    cursor.y === after.cursor.y &&
    cursor.visible === after.cursor.visible &&
    cols === after.cols &&
    rows === after.rows &&
    buffer === after.buffer &&
    still === after.isPlainText &&
    lines.every((row, y) => row === after.lines[y])
  )
}
