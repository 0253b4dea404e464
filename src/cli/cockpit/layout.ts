/*
 * Where things are on the screen. From 100 columns on, the list is beside the selected session;
 * below that, above it. Drawing and the mouse use the same rectangles.
 */

export interface Rect {
  x: number
  y: number
  cols: number
  rows: number
}

export interface Layout {
  list: Rect
  detail: Rect
  /** The list is left of the detail, not above it. */
  isWide: boolean
}

/** From this many columns on, list and detail are side by side. */
const WIDE = 100
const LIST_COLS_MIN = 48
const LIST_COLS_MAX = 84
/** The head line and the line of keys. */
export const FRAME_ROWS = 2

export function layoutOf(size: { cols: number; rows: number }, count: number, isZoomed: boolean): Layout {
  const { cols } = size
  const rows = Math.max(1, size.rows - FRAME_ROWS)
  const nothing = { x: 0, y: 1, cols: 0, rows: 0 }
  if (isZoomed) return { list: nothing, detail: { x: 0, y: 1, cols, rows }, isWide: false }
  if (cols >= WIDE) {
    const width = Math.max(LIST_COLS_MIN, Math.min(LIST_COLS_MAX, Math.floor(cols * 0.42)))
    return {
      list: { x: 0, y: 1, cols: width, rows },
      // A line and a space are between them.
      detail: { x: width + 2, y: 1, cols: cols - width - 2, rows },
      isWide: true,
    }
  }
  // A terminal of a few rows shows only the list.
  if (rows < 8) return { list: { x: 0, y: 1, cols, rows }, detail: nothing, isWide: false }
  const height = Math.max(3, Math.min(Math.max(count, 1), Math.floor(rows * 0.4)))
  return {
    list: { x: 0, y: 1, cols, rows: height },
    detail: { x: 0, y: height + 2, cols, rows: rows - height - 1 },
    isWide: false,
  }
}

export function isInside({ x, y, cols, rows }: Rect, at: { x: number; y: number }): boolean {
  return at.x >= x && at.x < x + cols && at.y >= y && at.y < y + rows
}
