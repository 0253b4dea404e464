import type { TmuxContent } from './tmux-server.js'

/**
 * A pane's content as bytes that draw it in an empty terminal: rows as rows, never joined, so that
 * the screen has the rows that the person sees; then the cursor position.
 */
export function contentBytes({ lines, cursor, isAlternate, rows }: TmuxContent): Uint8Array {
  const screen = lines.slice(-rows)
  const shown = isAlternate ? screen : lines
  const start = isAlternate ? '\u001b[?1049h\u001b[2J\u001b[H' : '\u001b[2J\u001b[H'
  return Buffer.from(`${start}${shown.join('\u001b[0m\r\n')}\u001b[0m\u001b[${cursor.y + 1};${cursor.x + 1}H`)
}
