/** Whether somebody looks at a pane: focus that passes over it on its way does not count. */
export class FocusWatch {
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

  /** It has lasted long enough. */
  isLooking(t: number): boolean {
    if (this.#since === null || t - this.#since < this.#debounceS) return false
    this.#isCounted = true
    return true
  }

  /** When focus begins to count; null when it does already, or is elsewhere. */
  nextDeadline(): number | null {
    return this.#since === null || this.#isCounted ? null : this.#since + this.#debounceS
  }
}
