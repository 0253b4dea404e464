import { type Clock, systemClock, type Timer } from '../../src/clock/index.js'

/** A real-time clock that can be put forward: timers that are due by then fire at once. */
export class JumpClock implements Clock {
  #ahead = 0
  readonly #pending = new Map<{ due: number }, () => void>()

  now(): number {
    return systemClock.now() + this.#ahead
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#ahead
  }

  setTimer(ms: number, run: () => void): Timer {
    const entry = { due: this.monotonic() + ms }
    const fire = () => {
      cancel()
      run()
    }
    const timer = systemClock.setTimer(ms, fire)
    const cancel = () => {
      timer.cancel()
      this.#pending.delete(entry)
    }
    this.#pending.set(entry, fire)
    return { cancel }
  }

  jump(ms: number): void {
    this.#ahead += ms
    const now = this.monotonic()
    const due = [...this.#pending].filter(([entry]) => entry.due <= now).sort(([a], [b]) => a.due - b.due)
    for (const [, fire] of due) fire()
  }
}
