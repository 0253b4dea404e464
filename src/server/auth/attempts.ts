import type { Clock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'

const CLOSED_MS = 15 * 60_000

/** Failed logins of 15 minutes. Too many block all: attackers have many addresses. */
export class Attempts {
  readonly #clock: Clock
  readonly #limit: number
  #failures: number[] = []

  constructor(clock: Clock, limit: number) {
    this.#clock = clock
    this.#limit = limit
  }

  /** @throws SignalboxError `E_RATE` */
  check(): void {
    const since = this.#clock.monotonic() - CLOSED_MS
    this.#failures = this.#failures.filter(at => at > since)
    if (this.#failures.length < this.#limit) return
    const waitMs = this.#failures[0]! - since
    throw new SignalboxError('E_RATE', `${this.#limit} logins have failed within 15 minutes`, {
      next: 'wait, then use a new link: signalbox serve --link',
      details: { retryAfterMs: Math.ceil(waitMs) },
    })
  }

  failed(): void {
    this.#failures.push(this.#clock.monotonic())
  }
}
