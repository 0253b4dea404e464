import type { Terminal } from '@xterm/xterm'
import { type Cast, indexAfter } from './cast'

/** Rests longer than this are passed over when that is wished for. */
export const IDLE_MS = 2_000

/** Draws a recording at any time of it: forward from where it stands, backward from the beginning. */
export class Player {
  readonly #cast: Cast
  readonly #terminal: Terminal
  readonly #onDrawn: () => void
  #next = 0
  #at = -1

  /** `onDrawn`: the picture of the moment that was sought last is there. */
  constructor(cast: Cast, terminal: Terminal, onDrawn: () => void = () => undefined) {
    this.#onDrawn = onDrawn
    this.#cast = cast
    this.#terminal = terminal
    this.#begin()
  }

  seek(ms: number): void {
    if (ms < this.#at) this.#begin()
    const end = indexAfter(this.#cast.events, ms)
    let text = ''
    for (; this.#next < end; this.#next++) {
      const event = this.#cast.events[this.#next]!
      if (event.kind === 'output') text += event.data
      else {
        this.#terminal.write(text)
        text = ''
        // The size changes after what was written before it has been read.
        const { cols, rows } = event
        this.#terminal.write('', () => this.#terminal.resize(cols, rows))
      }
    }
    this.#at = ms
    this.#terminal.write(text, () => this.#at === ms && this.#onDrawn())
  }

  #begin(): void {
    this.#terminal.reset()
    this.#terminal.resize(this.#cast.cols, this.#cast.rows)
    this.#next = 0
    this.#at = -1
  }
}

/** The next moment to show: `elapsed` later, or at once at the end of a long rest. */
export function advance(cast: Cast, ms: number, elapsed: number, skipsIdle: boolean): number {
  const to = ms + elapsed
  if (!skipsIdle) return Math.min(to, cast.durationMs)
  const next = cast.events[indexAfter(cast.events, ms)]
  if (!next) return cast.durationMs
  return next.ms - ms > IDLE_MS && to < next.ms - 200 ? next.ms - 200 : Math.min(to, cast.durationMs)
}
