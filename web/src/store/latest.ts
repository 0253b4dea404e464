import { batch } from '@preact/signals'

/** Sooner than this nobody sees a difference. */
const SOONEST_MS = 60
/** Later than this somebody does. */
const LATEST_MS = 180
/** Time between two rounds for each millisecond that a round took: a page spends at most a fifth of its time on what merely passes. */
const PATIENCE = 4

/**
 * What passes by faster than it can be looked at: of each kind only the newest is kept, and all of them are taken in together, so often
 * as the page can afford. With a few panes that is as they come; with hundreds on a slow machine it is a few times a second.
 */
export class Latest {
  #waiting = new Map<string, () => void>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #nextAt = 0

  put(key: string, take: () => void): void {
    this.#waiting.set(key, take)
    this.#timer ??= setTimeout(() => this.#flush(), Math.max(0, this.#nextAt - performance.now()))
  }

  #flush(): void {
    const begun = performance.now()
    const waiting = this.#waiting
    this.#waiting = new Map()
    this.#timer = undefined
    this.#nextAt = begun + SOONEST_MS
    batch(() => {
      for (const take of waiting.values()) take()
    })
    // Rendering follows in a task of its own; what it costs counts, too.
    setTimeout(() => {
      const cost = performance.now() - begun
      this.#nextAt = begun + Math.min(LATEST_MS, Math.max(SOONEST_MS, cost * (PATIENCE + 1)))
    })
  }
}
