import type { Clock, Timer } from '../../clock/index.js'

/**
 * How long a worker may continue without a server: five sixths of `worker.lost_after`, counted from
 * the time at which it sent the last heartbeat that a server confirmed. Servers start counting
 * later, and wait for the lease as well, so the worker stops before its runs can move.
 */
export class Contact {
  readonly #clock: Clock
  readonly #onLost: () => void
  #timer: Timer | null = null
  #lostAfterMs: number | null
  #reachedAt: number
  #isReported = false

  /** A start counts as contact: its keeper knows of an earlier one. */
  constructor(clock: Clock, lostAfterMs: number | null, onLost: () => void) {
    this.#clock = clock
    this.#lostAfterMs = lostAfterMs
    this.#onLost = onLost
    this.#reachedAt = clock.monotonic()
    this.#wait()
  }

  /** The servers say after which time a worker counts as lost. */
  learned(lostAfterMs: number): void {
    this.#lostAfterMs = lostAfterMs
    this.#wait()
  }

  /** A server has answered what was sent at this time. */
  reached(sentAt: number): void {
    if (sentAt <= this.#reachedAt) return
    this.#reachedAt = sentAt
    if (this.isOver) return
    this.#isReported = false
    this.#wait()
  }

  /** Null before the first connection: nothing was started then. */
  get leftMs(): number | null {
    if (this.#lostAfterMs === null) return null
    return this.#reachedAt + (this.#lostAfterMs * 5) / 6 - this.#clock.monotonic()
  }

  get isOver(): boolean {
    return (this.leftMs ?? 1) <= 0
  }

  close(): void {
    this.#timer?.cancel()
  }

  #wait(): void {
    this.#timer?.cancel()
    const ms = this.leftMs
    if (ms !== null && !this.#isReported) this.#timer = this.#clock.setTimer(Math.max(0, ms), () => this.#check())
  }

  /** Timers may fire a fraction of a millisecond early. */
  #check(): void {
    if (!this.isOver) return this.#wait()
    this.#isReported = true
    this.#onLost()
  }
}
