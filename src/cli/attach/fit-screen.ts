import { cutRow } from '../../screen/index.js'
import { type Frame, type Row, rowToAnsi, TerminalEmulator } from '../../terminal/index.js'

export interface Size {
  cols: number
  rows: number
}

/**
 * Shows a terminal in one of another size. Bytes are made for one size; in another, rows break and
 * stay where they should be replaced. So an emulator of the original size plays them, and the part
 * of its screen that fits is drawn: from the left edge, down to the last row with text.
 */
export class FittedScreen {
  #own: Size
  #emulator: TerminalEmulator
  /** The rows as last drawn; unchanged rows are not drawn again. */
  #drawn: string[] = []

  constructor(own: Size, original: Size) {
    this.#own = own
    this.#emulator = newEmulator(original)
  }

  /** Replaces the whole screen. */
  show(original: Size, data: string, t: number): void {
    this.#emulator = newEmulator(original)
    this.#emulator.feed(Buffer.from(data), t, { live: false })
    this.#drawn = []
  }

  push(bytes: Uint8Array, t: number): void {
    this.#emulator.feed(bytes, t, { live: false })
  }

  resized({ cols, rows }: Size, t: number): void {
    this.#emulator.resize(cols, rows, t)
  }

  /** The drawing terminal has been resized. */
  fit(own: Size): void {
    this.#own = own
    this.#drawn = []
  }

  /** The bytes that update the screen; the last `reserved` rows are not drawn. */
  draw(reserved: number): string {
    const frame = this.#emulator.currentFrame()
    const height = Math.max(1, this.#own.rows - reserved)
    const top = firstShown(frame, height)
    let text = ''
    for (let y = 0; y < height; y++) {
      const row = frame.lines[top + y]
      const drawn = row ? rowToAnsi(cutTo(row, this.#own.cols)) : ''
      if (this.#drawn[y] === drawn) continue
      this.#drawn[y] = drawn
      text += `\u001b[${y + 1};1H\u001b[0m${drawn}\u001b[0m\u001b[K`
    }
    const { x, y, visible } = frame.cursor
    const isSeen = visible && y >= top && y < top + height && x < this.#own.cols
    return `\u001b[?25l${text}${isSeen ? `\u001b[${y - top + 1};${x + 1}H\u001b[?25h` : ''}`
  }
}

/** The first row to draw, so that the last text or the cursor is visible. */
export function firstShown({ lines, rows, cursor }: Pick<Frame, 'lines' | 'rows' | 'cursor'>, height: number): number {
  const last = Math.max(
    cursor.y,
    lines.findLastIndex(row => row.text.trim() !== ''),
  )
  return Math.max(0, Math.min(rows - height, last - height + 1))
}

/** Leaves out a wide character that would cross the edge. */
export function cutTo(row: Row, cols: number): Row {
  if (row.width <= cols) return row
  const cut = cutRow(row, cols)
  return cut.width > cols ? cutRow(row, cols - 1) : cut
}

function newEmulator({ cols, rows }: Size): TerminalEmulator {
  return new TerminalEmulator({ cols, rows, scrollback: 0 })
}
