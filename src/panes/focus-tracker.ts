/** Whether a person is viewing a pane: focus that only passes over it does not count. */
export class FocusTracker {
  readonly #debounceS: number
  #since: number | null = null
  #isCounted = false

  constructor(debounceS: number) {
    this.#debounceS = debounceS
  }

  set(isFocused: boolean, t: number): void {
    if (isFocused && this.#since === null) this.#isCounted = false
    this.#since = isFocused ? (this.#since ?? t) : null
  }

  /** Whether the focus has lasted long enough. */
  isLooking(t: number): boolean {
    if (this.#since === null || t - this.#since < this.#debounceS) return false
    this.#isCounted = true
    return true
  }

  /** When the focus starts to count; null if it already does, or is elsewhere. */
  nextDeadline(): number | null {
    return this.#since === null || this.#isCounted ? null : this.#since + this.#debounceS
  }
}
