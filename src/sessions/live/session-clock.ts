import type { Clock, Timer } from '../../clock/index.js'

/**
 * Seconds since a session's start, as its recording counts them, and one timer on that scale. The
 * keeper stamps output with its own clock; this clock is set forward to the newest stamp, so that
 * time never runs backwards between the two.
 */
export class SessionClock {
  readonly #clock: Clock
  #zero: number
  #timer: Timer | null = null
  #due: number | null = null
  #callback: () => void = () => undefined

  constructor(clock: Clock, startedAt: number) {
    this.#clock = clock
    this.#zero = clock.monotonic() - (clock.now() - startedAt)
  }

  now(): number {
    return (this.#clock.monotonic() - this.#zero) / 1000
  }

  /** Output with this stamp has arrived. */
  observe(t: number): void {
    const ahead = t - this.now()
    if (ahead <= 0) return
    this.#zero -= ahead * 1000
    // The deadline is nearer now.
    if (this.#due !== null) this.#arm(this.#due)
  }

  /**
   * Calls back once when session time reaches `due`; a later call replaces the earlier one. Null:
   * no callback.
   */
  schedule(due: number | null, callback: () => void): void {
    this.#callback = callback
    if (due === this.#due) return
    this.#due = due
    this.#timer?.cancel()
    this.#timer = null
    if (due !== null) this.#arm(due)
  }

  stop(): void {
    this.schedule(null, () => undefined)
  }

  #arm(due: number): void {
    this.#timer?.cancel()
    // Rounded up: a callback that comes slightly too early finds nothing due and would be scheduled
    // again and again.
    const ms = Math.max(0, Math.ceil((due - this.now()) * 1000))
    this.#timer = this.#clock.setTimer(ms, () => {
      this.#due = null
      this.#timer = null
      this.#callback()
    })
  }
}
