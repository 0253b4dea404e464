import type { Terminal } from '@xterm/xterm'
import { type Cast, indexAfter } from './cast'

/** Longer pauses can be skipped. */
export const IDLE_MS = 2_000

/** Draws a recording at any time: forward from the current position, backward from the start. */
export class Player {
  readonly #cast: Cast
  readonly #terminal: Terminal
  readonly #onDrawn: () => void
  #next = 0
  #at = -1

  /** `onDrawn` is called when the terminal shows the last position that was sought. */
  constructor(cast: Cast, terminal: Terminal, onDrawn: () => void = () => undefined) {
    this.#onDrawn = onDrawn
    this.#cast = cast
    this.#terminal = terminal
    this.#restart()
  }

  seek(ms: number): void {
    if (ms < this.#at) this.#restart()
    const end = indexAfter(this.#cast.events, ms)
    let text = ''
    for (; this.#next < end; this.#next++) {
      const event = this.#cast.events[this.#next]!
      if (event.kind === 'output') text += event.data
      else {
        this.#terminal.write(text)
        text = ''
        // The terminal parses the text asynchronously: the size changes after it.
        const { cols, rows } = event
        this.#terminal.write('', () => this.#terminal.resize(cols, rows))
      }
    }
    this.#at = ms
    this.#terminal.write(text, () => this.#at === ms && this.#onDrawn())
  }

  #restart(): void {
    this.#terminal.reset()
    this.#terminal.resize(this.#cast.cols, this.#cast.rows)
    this.#next = 0
    this.#at = -1
  }
}

/** The next position: `elapsed` later, or the end of a long pause. */
export function advance(cast: Cast, ms: number, elapsed: number, skipsIdle: boolean): number {
  const to = ms + elapsed
  if (!skipsIdle) return Math.min(to, cast.durationMs)
  const next = cast.events[indexAfter(cast.events, ms)]
  if (!next) return cast.durationMs
  return next.ms - ms > IDLE_MS && to < next.ms - 200 ? next.ms - 200 : Math.min(to, cast.durationMs)
}
