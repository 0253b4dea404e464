import { type Row, TerminalEmulator } from '../../terminal/index.js'
import { displayWidth } from '../../text/index.js'

/** Small enough that no row leaves the scrollback before it is read. */
const PIECE_BYTES = 4096
const SCROLLBACK = 5000

/**
 * Prints a program's output as plain text: rows as they scroll off the terminal, the rest at the
 * end. Colours, cursor moves and progress bars are applied, not printed; wrapped rows are joined.
 * What a full-screen program draws on the alternate screen is printed only if it is still open at
 * the end.
 */
export class TextPrinter {
  readonly #emulator: TerminalEmulator
  readonly #write: (text: string) => void
  readonly #lines = new LineJoiner()
  /** The next row of the normal screen to print. */
  #next = 0
  #t = 0

  /** `size` is the size of the program's terminal. */
  constructor(size: { cols: number; rows: number }, write: (text: string) => void) {
    this.#emulator = new TerminalEmulator({ ...size, scrollback: SCROLLBACK })
    this.#write = write
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      this.#t += 0.001
      this.#emulator.feed(bytes.subarray(at, at + PIECE_BYTES), this.#t, { live: false })
      const { buffer, history } = this.#emulator.currentFrame()
      if (buffer === 'normal') this.#print(this.#newRows(history.lastId))
    }
  }

  finish(): void {
    const { buffer, lines } = this.#emulator.currentFrame()
    const { cols } = this.#emulator.size
    const normal = this.#newRows(Number.MAX_SAFE_INTEGER)
    const rows = buffer === 'normal' ? normal : [...normal.slice(0, lastText(normal) + 1), ...lines]
    this.#print(rows.slice(0, lastText(rows) + 1))
    this.#write(this.#lines.end(cols))
  }

  /** Rows of the normal screen that are not printed yet. */
  #newRows(lastId: number): Row[] {
    const rows = this.#emulator.readRows(this.#next, lastId)
    if (rows.length > 0) this.#next = rows.at(-1)!.id + 1
    return rows
  }

  #print(rows: readonly Row[]): void {
    const text = rows.map(row => this.#lines.add(row, this.#emulator.size.cols)).join('')
    if (text !== '') this.#write(text)
  }
}

/** Joins wrapped rows: a line is complete when the next row does not continue it. */
class LineJoiner {
  #rows: Row[] = []

  add(row: Row, cols: number): string {
    const done = row.wrapped ? '' : this.end(cols)
    this.#rows.push(row)
    return done
  }

  end(cols: number): string {
    const rows = this.#rows
    this.#rows = []
    if (rows.length === 0) return ''
    return `${rows.map((row, index) => (index === rows.length - 1 ? row.text : wholeRow(row, rows[index + 1]!, cols))).join('')}\n`
  }
}

/**
 * A row that continues in the next one fills the width, so blanks at its end are text; except the
 * one cell that was too narrow for a wide character.
 */
function wholeRow(row: Row, next: Row, cols: number): string {
  const missing = cols - row.width
  const isGap = missing === 1 && displayWidth([...next.text][0] ?? '') === 2
  return row.spans.map(span => span.text).join('') + (isGap ? '' : ' '.repeat(missing))
}

function lastText(rows: readonly Row[]): number {
  return rows.findLastIndex(row => row.text !== '')
}
