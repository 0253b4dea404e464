import type { Clock, Timer } from './clock.js'

interface Pending {
  due: number
  order: number
  callback: () => void
}

/**
 * A clock that moves only when `advance` is called. It fires due timers in order of time, then of
 * creation, and sets the time to that of each timer before it calls it, so that a callback sees
 * exactly the time it asked for.
 */
export class SimulatedClock implements Clock {
  #time: number
  readonly #start: number
  #order = 0
  readonly #pending = new Set<Pending>()

  constructor(startMs = 0) {
    this.#time = startMs
    this.#start = startMs
  }

  now(): number {
    return this.#time
  }

  monotonic(): number {
    return this.#time - this.#start
  }

  setTimer(ms: number, callback: () => void): Timer {
    const entry: Pending = { due: this.#time + Math.max(0, ms), order: this.#order++, callback }
    this.#pending.add(entry)
    return { cancel: () => this.#pending.delete(entry) }
  }

  /** The number of timers that have not fired. */
  get pending(): number {
    return this.#pending.size
  }

  advance(ms: number): void {
    this.advanceTo(this.#time + ms)
  }

  advanceTo(time: number): void {
    for (let next = this.#next(time); next; next = this.#next(time)) {
      this.#pending.delete(next)
      this.#time = Math.max(this.#time, next.due)
      next.callback()
    }
    this.#time = Math.max(this.#time, time)
  }

  #next(limit: number): Pending | undefined {
    let first: Pending | undefined
    for (const entry of this.#pending) {
      if (entry.due > limit) continue
      if (!first || entry.due < first.due || (entry.due === first.due && entry.order < first.order)) first = entry
    }
    return first
  }
}
