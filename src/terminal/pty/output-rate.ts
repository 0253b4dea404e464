import type { Clock } from '../../clock/index.js'

/**
 * What a program may print at once. A build log or `cat` of a large file stays below it, and is
 * read as fast as it is printed.
 */
const BURST_BYTES = 16 * 1024 * 1024
const BYTES_PER_SECOND = 2 * 1024 * 1024
/** The shortest pause: each start of reading costs calls of the kernel. */
const PAUSE_MIN_MS = 30

/**
 * Limits the rate at which one program may print. A program that prints without end (`yes`, a loop
 * that logs) needs a core for itself and the kernel another one to move its bytes, and takes both
 * from the agents beside it. When its burst is used up, its terminal is read at a lower rate; the
 * program waits for its terminal, as it does with any slow terminal. No byte is lost.
 */
export class OutputRate {
  readonly #clock: Clock
  readonly #burstBytes: number
  readonly #bytesPerSecond: number
  /** Bytes that may be read at once. Negative: too much was read. */
  #left: number
  #at: number

  constructor(clock: Clock, { burstBytes = BURST_BYTES, bytesPerSecond = BYTES_PER_SECOND } = {}) {
    this.#clock = clock
    this.#burstBytes = burstBytes
    this.#bytesPerSecond = bytesPerSecond
    this.#left = burstBytes
    this.#at = clock.monotonic()
  }

  /** Counts bytes that were read. @returns how many milliseconds to wait before more are read */
  pauseAfter(bytes: number): number {
    const now = this.#clock.monotonic()
    const earned = ((now - this.#at) / 1000) * this.#bytesPerSecond
    this.#left = Math.min(this.#burstBytes, this.#left + earned) - bytes
    this.#at = now
    return this.#left >= 0 ? 0 : Math.max(PAUSE_MIN_MS, (-this.#left / this.#bytesPerSecond) * 1000)
  }
}
