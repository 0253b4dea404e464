/*
 * A pane that goes to and fro between work and rest is misread, whatever the truth is. More such changes than `max` within the window is
 * flicker: it is counted, and for five minutes a rest must last `holdS` before it is believed.
 */
const HELD_FOR_S = 300

export class FlickerWatch {
  readonly #max: number
  readonly #windowS: number
  #changes: number[] = []
  #isActive: boolean | null = null
  #heldUntil = Number.NEGATIVE_INFINITY
  #count = 0

  constructor(options: { max: number; windowS: number }) {
    this.#max = options.max
    this.#windowS = options.windowS
  }

  /** How often it was found. */
  get count(): number {
    return this.#count
  }

  /** True when this change makes it flicker. */
  see(isActive: boolean, t: number): boolean {
    if (this.#isActive === isActive) return false
    const isFirst = this.#isActive === null
    this.#isActive = isActive
    if (isFirst) return false
    this.#changes = [...this.#changes.filter(at => t - at < this.#windowS), t]
    if (this.#changes.length <= this.#max) return false
    this.#changes = []
    this.#count++
    this.#heldUntil = t + HELD_FOR_S
    return true
  }

  isHeld(t: number): boolean {
    return t < this.#heldUntil
  }

  get heldUntil(): number {
    return this.#heldUntil
  }
}
