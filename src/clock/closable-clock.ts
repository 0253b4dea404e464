import type { Clock, Timer } from './clock.js'

/**
 * A clock whose timers all end with it: a process that has released everything must not wait for a
 * timer that one of its parts forgot. After `close` no timer fires.
 */
export class ClosableClock implements Clock {
  readonly #clock: Clock
  readonly #pending = new Set<Timer>()
  #isClosed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  now(): number {
    return this.#clock.now()
  }

  monotonic(): number {
    return this.#clock.monotonic()
  }

  setTimer(ms: number, callback: () => void): Timer {
    if (this.#isClosed) return { cancel: () => undefined }
    const timer = this.#clock.setTimer(ms, () => {
      this.#pending.delete(timer)
      callback()
    })
    this.#pending.add(timer)
    return {
      cancel: () => {
        this.#pending.delete(timer)
        timer.cancel()
      },
    }
  }

  close(): void {
    this.#isClosed = true
    for (const timer of this.#pending) timer.cancel()
    this.#pending.clear()
  }
}
