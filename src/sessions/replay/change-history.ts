import { type ChangeFields, stableKey } from './changes.js'

const HISTORY_MAX = 20

/** Tells changes from repetitions, and keeps the last ones. */
export class ChangeHistory {
  readonly #changes: ChangeFields[] = []
  #last = ''
  #count = 0

  /** True when something differs from the change before. */
  take(fields: ChangeFields): boolean {
    const key = stableKey(fields)
    if (key === this.#last) return false
    this.#last = key
    this.#count++
    this.#changes.push(fields)
    if (this.#changes.length > HISTORY_MAX) this.#changes.shift()
    return true
  }

  /** The last changes, oldest first. */
  get changes(): readonly ChangeFields[] {
    return this.#changes
  }

  /** Of all changes so far. */
  get count(): number {
    return this.#count
  }
}
