import type { Clock } from '../../clock/index.js'

/** What a session causes outside of itself: carried out one after the other, in the order it was caused. */
export class Effects {
  readonly #onError: (error: unknown) => void
  readonly #onDone: () => void
  #work: Promise<void> = Promise.resolve()

  /** @param onDone called after each effect: something that others wait for may have come true. */
  constructor(onError: (error: unknown) => void, onDone: () => void) {
    this.#onError = onError
    this.#onDone = onDone
  }

  /** A failure is reported, and the next effect runs all the same. */
  later(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch(this.#onError).then(this.#onDone)
  }

  /** Resolves when every effect so far, and those they caused, have been carried out. */
  async settled(): Promise<void> {
    let work: Promise<void>
    do {
      work = this.#work
      await work
    } while (work !== this.#work)
  }
}

/** Whoever waits for a change of anything. */
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

  /** Whether the claim came true within `ms`. */
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
