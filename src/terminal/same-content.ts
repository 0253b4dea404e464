import type { Frame } from './frame.js'

/**
 * Whether two frames show the same content: the same row objects and the same cursor position.
 * Programs end many updates a second in which they have drawn nothing or only changed a spinner in
 * their title. Such frames differ in time and title only.
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
