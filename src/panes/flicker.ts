/*
 * A pane that alternates between work and idle is misread, whatever the truth is. More such changes
 * than `max` within the window is flicker: it is counted, and for five minutes an idle state must
 * last `flicker_hold_s` before it is accepted.
 *
 * Changes caused by a person are not flicker: two short turns, or three commands in a minute, are
 * changes too. So work that starts after a person acted (a key that went to the program, or text
 * that appeared in its input line while it was idle) restarts the count.
 */
const STRICT_S = 300

export class FlickerDetector {
  readonly #max: number
  readonly #windowS: number
  #changes: number[] = []
  #isActive: boolean | null = null
  #strictUntil = Number.NEGATIVE_INFINITY
  #count = 0
  #changedAt = Number.NEGATIVE_INFINITY
  #actedAt = Number.NEGATIVE_INFINITY

  constructor(options: { max: number; windowS: number }) {
    this.#max = options.max
    this.#windowS = options.windowS
  }

  /** How often it was detected. */
  get count(): number {
    return this.#count
  }

  /** A person acted. */
  acted(t: number): void {
    this.#actedAt = Math.max(this.#actedAt, t)
  }

  /** True if this change makes it flicker. */
  observe(isActive: boolean, t: number): boolean {
    if (this.#isActive === isActive) return false
    const isFirst = this.#isActive === null
    this.#isActive = isActive
    if (isActive && this.#actedAt >= this.#changedAt) this.#changes = []
    this.#changedAt = t
    if (isFirst) return false
    this.#changes = [...this.#changes.filter(at => t - at < this.#windowS), t]
    if (this.#changes.length <= this.#max) return false
    this.#changes = []
    this.#count++
    this.#strictUntil = t + STRICT_S
    return true
  }

  isStrict(t: number): boolean {
    return t < this.#strictUntil
  }

  get strictUntil(): number {
    return this.#strictUntil
  }
}
