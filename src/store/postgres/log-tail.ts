import type { StoredEvent } from '../event-store.js'
import type { EventPage } from '../log-subscription.js'

const PAGE = 200
/** Events in memory: a subscription that is further behind reads the database itself. */
const KEPT = 500

interface LogReader {
  head(): Promise<number>
  page(after: number, limit: number): Promise<EventPage>
}

/**
 * The newest events of the log. A server has more than a dozen subscriptions, and nearly always all
 * of them are at the end of the log: what is new is read once for all of them.
 */
export class LogTail {
  readonly #log: LogReader
  readonly #events: StoredEvent[] = []
  /** Every event after the first and up to the second position is in `#events`. */
  #range: { after: number; through: number } | null = null
  #isDirty = false
  #running: Promise<void> | undefined

  constructor(log: LogReader) {
    this.#log = log
  }

  /**
   * Reads everything that was committed before the call. Calls of one moment share one read; calls
   * while it reads share the next one.
   */
  refresh(): Promise<void> {
    this.#isDirty = true
    this.#running ??= this.#run()
    return this.#running
  }

  /** For a pause without subscriptions: afterwards it begins at the end of the log. */
  clear(): void {
    this.#events.length = 0
    this.#range = null
  }

  /** The events after this position, or null if this one does not have them all. */
  page(after: number, types?: readonly string[]): EventPage | null {
    if (this.#range === null || after < this.#range.after) return null
    const events = this.#events.filter(
      ({ position, type }) => position > after && (types === undefined || types.includes(type)),
    )
    return { events, next: Math.max(after, this.#range.through), isLast: true }
  }

  async #run(): Promise<void> {
    try {
      while (this.#isDirty) {
        await Promise.resolve()
        this.#isDirty = false
        await this.#readToEnd(this.#range ?? (await this.#begin()))
      }
    } finally {
      // In the same step as the last check of `#isDirty`: no call falls between the two.
      this.#running = undefined
    }
  }

  async #readToEnd(range: { after: number; through: number }): Promise<void> {
    for (let isLast = false; !isLast; ) {
      const page = await this.#log.page(range.through, PAGE)
      isLast = page.isLast
      range.through = page.next
      this.#events.push(...page.events)
      const removed = this.#events.splice(0, Math.max(0, this.#events.length - KEPT)).at(-1)
      if (removed) range.after = removed.position
    }
  }

  async #begin(): Promise<{ after: number; through: number }> {
    const head = await this.#log.head()
    this.#range = { after: head, through: head }
    return this.#range
  }
}
