import { cutRow } from '../screen/index.js'
import { type Frame, type Row, rowToAnsi, TerminalEmulator } from '../terminal/index.js'

export interface Size {
  cols: number
  rows: number
}

/**
 * What a watcher sees of a terminal that has another size than its own. Bytes are made for one size: drawn in another, rows break and
 * rows that should be replaced stay. So they go into an emulator of the size they were made for, and the part of its picture that fits is
 * drawn: from the left edge, and down to where something is written.
 */
export class FittedScreen {
  #own: Size
  #emulator: TerminalEmulator
  /** Rows as they were drawn last: what is the same is not drawn again. */
  #drawn: string[] = []

  constructor(own: Size, theirs: Size) {
    this.#own = own
    this.#emulator = newEmulator(theirs)
  }

  /** The whole picture anew. */
  show(theirs: Size, data: string, t: number): void {
    this.#emulator = newEmulator(theirs)
    this.#emulator.feed(Buffer.from(data), t, { live: false })
    this.#drawn = []
  }

  push(bytes: Uint8Array, t: number): void {
    this.#emulator.feed(bytes, t, { live: false })
  }

  resized({ cols, rows }: Size, t: number): void {
    this.#emulator.resize(cols, rows, t)
  }

  /** The terminal that it is drawn in has another size. */
  fit(own: Size): void {
    this.#own = own
    this.#drawn = []
  }

  /** The bytes that bring the picture up to date; the last `reserved` rows are left to others. */
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

/** Where to begin so that the last row that says something, or the cursor, is in sight. */
function firstShown({ lines, rows, cursor }: Frame, height: number): number {
  const last = Math.max(
    cursor.y,
    lines.findLastIndex(row => row.text.trim() !== ''),
  )
  return Math.max(0, Math.min(rows - height, last - height + 1))
}

/** A wide character that would reach over the edge is left out. */
function cutTo(row: Row, cols: number): Row {
  if (row.width <= cols) return row
  const cut = cutRow(row, cols)
  return cut.width > cols ? cutRow(row, cols - 1) : cut
}

function newEmulator({ cols, rows }: Size): TerminalEmulator {
  return new TerminalEmulator({ cols, rows, scrollback: 0 })
}
