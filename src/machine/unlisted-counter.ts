export interface UnlistedPair {
  readonly machine: string
  readonly state: string
  readonly event: string
  /** The author of the table expects this event without a row. */
  readonly isExpected: boolean
}

/**
 * Counts the pairs that a table does not list. With one counter per session (or other owner of the
 * state) there is one warning per session and pair: `onFirst` is called the first time that an
 * unexpected pair occurs.
 */
export class UnlistedCounter {
  readonly #counts = new Map<string, { pair: UnlistedPair; count: number }>()
  readonly #onFirst: ((pair: UnlistedPair) => void) | undefined

  constructor(onFirst?: (pair: UnlistedPair) => void) {
    this.#onFirst = onFirst
  }

  add(pair: UnlistedPair): number {
    const key = JSON.stringify([pair.machine, pair.state, pair.event])
    const entry = this.#counts.get(key) ?? { pair, count: 0 }
    this.#counts.set(key, entry)
    entry.count += 1
    if (entry.count === 1 && !pair.isExpected) this.#onFirst?.(pair)
    return entry.count
  }

  count(machine: string, state: string, event: string): number {
    return this.#counts.get(JSON.stringify([machine, state, event]))?.count ?? 0
  }

  entries(): readonly (UnlistedPair & { count: number })[] {
    return [...this.#counts.values()].map(({ pair, count }) => ({ ...pair, count }))
  }
}
