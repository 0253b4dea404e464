/** After one refresh the next waits this long, however much happens: a busy system costs a page no more than a calm one. */
const PAUSE_MS = 400
/** From here on one list is cheaper than single looks. */
const SINGLE_MAX = 4

/**
 * Collects which subjects changed and looks at them again: the first at once, the rest together. What the page shows is always what the
 * server says, never a guess of what an event might have meant.
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
