import type { Clock } from '../clock/index.js'

const KEYS_MAX = 20_000

/** Remembers keys for a while, to detect duplicates; drops the oldest first. */
export class RecentKeys {
  readonly #clock: Clock
  readonly #keepMs: number
  /** In the order of arrival. */
  readonly #keys = new Map<string, number>()

  constructor(clock: Clock, keepMs: number) {
    this.#clock = clock
    this.#keepMs = keepMs
  }

  /** True if the key is new. */
  add(key: string): boolean {
    const now = this.#clock.monotonic()
    for (const [old, at] of this.#keys) {
      if (now - at < this.#keepMs && this.#keys.size < KEYS_MAX) break
      this.#keys.delete(old)
    }
    if (this.#keys.has(key)) return false
    this.#keys.set(key, now)
    return true
  }
}
