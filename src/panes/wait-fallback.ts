/** Ends a stale wait: proposes `wait-over` every `afterS`; the status table decides. */
export class WaitFallback {
  readonly #afterS: number
  readonly #mayRun: boolean
  #triedAt: number | null = null
  #isChanged = false

  constructor(options: { afterS: number; mayRun: boolean }) {
    this.#afterS = options.afterS
    this.#mayRun = options.mayRun
  }

  began(t: number): void {
    this.#triedAt = t
    this.#isChanged = false
  }

  contentChanged(): void {
    this.#isChanged = true
  }

  nextDeadline(): number | null {
    return this.#triedAt === null ? null : this.#triedAt + this.#afterS
  }

  /** The event that is due now, if any. */
  due(t: number): 'wait-over-changed' | 'wait-over-quiet' | null {
    if (this.#triedAt === null || t - this.#triedAt < this.#afterS) return null
    this.#triedAt = t
    return this.#isChanged && this.#mayRun ? 'wait-over-changed' : 'wait-over-quiet'
  }
}
