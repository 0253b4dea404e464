import { TerminalEmulator } from '../terminal/index.js'

/** Small enough that no row can leave the scrollback before it is read. */
const PIECE_BYTES = 1024
const SCROLLBACK = 5000

/**
 * A program's output as plain text: what its terminal would show, rows as they scroll off, the rest at the end. Colours, cursor moves and
 * progress bars are played, not printed; rows that the terminal wrapped are joined again.
 */
export class TextPrinter {
  readonly #emulator: TerminalEmulator
  readonly #write: (text: string) => void
  #next = 0
  #t = 0

  /** `size` is that of the program's terminal: what it draws fits no other. */
  constructor(size: { cols: number; rows: number }, write: (text: string) => void) {
    this.#emulator = new TerminalEmulator({ ...size, scrollback: SCROLLBACK })
    this.#write = write
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      this.#t += 0.001
      this.#emulator.feed(bytes.subarray(at, at + PIECE_BYTES), this.#t, { live: false })
      this.#printUpTo(this.#frame().history.lastId)
    }
  }

  finish(): void {
    const { lines } = this.#frame()
    const last = lines.findLast(row => row.text !== '')
    if (last) this.#printUpTo(last.id)
    if (this.#open !== '') this.#write(`${this.#open}\n`)
  }

  #open = ''

  #printUpTo(lastId: number): void {
    if (lastId < this.#next) return
    let text = ''
    for (const row of this.#emulator.readRows(this.#next, lastId)) {
      if (row.wrapped) this.#open += row.text
      else {
        if (row.id > 0) text += `${this.#open}\n`
        this.#open = row.text
      }
    }
    this.#next = lastId + 1
    if (text !== '') this.#write(text)
  }

  #frame() {
    return this.#emulator.picture()
  }
}
