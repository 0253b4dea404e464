import type { Clock, Timer } from './clock.js'

/**
 * A clock whose wall time is that of a reference elsewhere, such as a database that several
 * machines share: they then agree on what is due, however wrong their own wall clocks are. Between
 * two readings of the reference it runs by the steady clock of this machine.
 */
export class SynchronizedClock implements Clock {
  readonly #clock: Clock
  /** The reference's time when the steady clock was at zero; null before the first reading. */
  #zero: number | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  now(): number {
    return this.#zero === null ? this.#clock.now() : Math.floor(this.#zero + this.#clock.monotonic())
  }

  monotonic(): number {
    return this.#clock.monotonic()
  }

  setTimer(ms: number, callback: () => void): Timer {
    return this.#clock.setTimer(ms, callback)
  }

  /**
   * Reads the reference. The reading belongs to some moment between its request and its answer: a
   * time that fits into that interval is kept, so that slow answers do not make the clock jitter.
   */
  async read(reference: () => Promise<number>): Promise<number> {
    const asked = this.#clock.monotonic()
    const time = await reference()
    const [least, most] = [time - this.#clock.monotonic(), time - asked]
    if (this.#zero === null || this.#zero < least - 1 || this.#zero > most + 1) this.#zero = (least + most) / 2
    return time
  }
}
