import type { Clock } from '../clock/index.js'

/**
 * Runs what a session causes outside itself, one effect at a time, in the order of the calls.
 */
export class Effects {
  readonly #onError: (error: unknown) => void
  readonly #onDone: () => void
  #work: Promise<void> = Promise.resolve()

  /** @param onDone runs after each effect: a condition that waiters wait for may now hold. */
  constructor(onError: (error: unknown) => void, onDone: () => void) {
    this.#onError = onError
    this.#onDone = onDone
  }

  /** Reports a failure and still runs the next effect. */
  enqueue(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch(this.#onError).then(this.#onDone)
  }

  /** Resolves when all effects so far, and the effects that they caused, are done. */
  async done(): Promise<void> {
    let work: Promise<void>
    do {
      work = this.#work
      await work
    } while (work !== this.#work)
  }
}

/** Callers that wait for any change of a session. */
export class Waiters {
  readonly #clock: Clock
  readonly #waiting = new Set<() => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  wake(): void {
    for (const wake of [...this.#waiting]) wake()
  }

  /** Resolves at the next change, or after `ms`. */
  changed(ms: number): Promise<void> {
    return new Promise(resolve => {
      const waiting = this.#waiting
      const timer = this.#clock.setTimer(ms, done)
      function done() {
        timer.cancel()
        waiting.delete(done)
        resolve()
      }
      waiting.add(done)
    })
  }

  /** Whether the condition held within `ms`. */
  async until(ms: number, holds: () => boolean): Promise<boolean> {
    const deadline = this.#clock.monotonic() + ms
    while (!holds()) {
      const left = deadline - this.#clock.monotonic()
      if (left <= 0) return false
      await this.changed(left)
    }
    return true
  }
}
