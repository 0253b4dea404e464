/**
 * Minimum pause between two refreshes, so that a busy system costs the page no more than a quiet
 * one.
 */
const PAUSE_MS = 400
/** With more changed resources than this, loading the whole list is cheaper. */
const SINGLE_MAX = 4

/**
 * Loads changed resources again: the first at once, the others together. The page shows what the
 * server answers and never derives it from an event.
 */
export class Refresher {
  readonly #one: (id: string) => Promise<void>
  readonly #all: () => Promise<void>
  readonly #dirty = new Set<string>()
  #isRunning = false

  constructor(options: { one(id: string): Promise<void>; all(): Promise<void> }) {
    this.#one = options.one
    this.#all = options.all
  }

  touch(id: string): void {
    this.#dirty.add(id)
    if (!this.#isRunning) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#dirty.size > 0) {
      const ids = [...this.#dirty]
      this.#dirty.clear()
      const work = ids.length > SINGLE_MAX ? [this.#all()] : ids.map(id => this.#one(id))
      await Promise.allSettled(work)
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    }
    this.#isRunning = false
  }
}
