import type { Clock } from '../../clock/index.js'

/** A build log or `cat` of a large file stays below it, and is read as fast as it is printed. */
const BURST = 16 * 1024 * 1024
const PER_SECOND = 2 * 1024 * 1024
/** Reading starts again this late at least: each start costs calls of the kernel. */
const PAUSE_MIN_MS = 30

/**
 * Limits what one program may print for long. A program that prints without end (`yes`, a loop that
 * logs) needs a core for itself and the kernel another one to move its bytes, and takes both from
 * the agents beside it. When its burst is used up, its terminal is read at a lower rate; the
 * program waits for its terminal, as it does with any slow terminal. No byte is lost.
 */
export class OutputRate {
  readonly #clock: Clock
  readonly #burst: number
  readonly #perSecond: number
  /** Bytes that may be read at once. Negative: too much was read. */
  #left: number
  #at: number

  constructor(clock: Clock, { burst = BURST, perSecond = PER_SECOND } = {}) {
    this.#clock = clock
    this.#burst = burst
    this.#perSecond = perSecond
    this.#left = burst
    this.#at = clock.monotonic()
  }

  /** Counts bytes that were read. @returns for how many milliseconds no more may be read */
  read(bytes: number): number {
    const now = this.#clock.monotonic()
    const earned = ((now - this.#at) / 1000) * this.#perSecond
    this.#left = Math.min(this.#burst, this.#left + earned) - bytes
    this.#at = now
    return this.#left >= 0 ? 0 : Math.max(PAUSE_MIN_MS, (-this.#left / this.#perSecond) * 1000)
  }
}
