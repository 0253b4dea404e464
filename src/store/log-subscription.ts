import type { StoredEvent, Subscription } from './event-store.js'

export interface EventPage {
  events: StoredEvent[]
  /** The cursor for the next page: after the last row that was read, valid or not. */
  next: number
  isLast: boolean
}

export interface SubscriptionOptions {
  after: number
  readPage: (after: number) => Promise<EventPage>
  handler: (events: StoredEvent[]) => void
  onError: (error: unknown) => void
  onClose: (subscription: LogSubscription) => void
}

/**
 * Reads the log from its own cursor whenever it is notified that there may be more. A superfluous
 * notification costs one empty read, so notifications need not be exact; only the cursor decides
 * what is delivered, hence no gaps and no duplicates.
 */
export class LogSubscription implements Subscription {
  readonly #options: SubscriptionOptions
  #cursor: number
  #isClosed = false
  #isDirty = false
  #running: Promise<void> | undefined

  constructor(options: SubscriptionOptions) {
    this.#options = options
    this.#cursor = options.after
  }

  poll(): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    this.#isDirty = true
    this.#running ??= this.#run()
    return this.#running
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#options.onClose(this)
  }

  async #run(): Promise<void> {
    while (this.#isDirty && !this.#isClosed) {
      this.#isDirty = false
      try {
        await this.#deliverToHead()
      } catch (error) {
        // The cursor has not moved: the next wake-up tries again.
        if (!this.#isClosed) this.#options.onError(error)
      }
    }
    // In the same step as the last check of `#isDirty`, so that no call to `poll` can fall between
    // the two and be lost.
    this.#running = undefined
  }

  async #deliverToHead(): Promise<void> {
    for (let isLast = false; !isLast && !this.#isClosed; ) {
      const page = await this.#options.readPage(this.#cursor)
      if (this.#isClosed) return
      this.#cursor = page.next
      isLast = page.isLast
      if (page.events.length > 0) this.#deliver(page.events)
      // A long catch-up yields to the rest of the program between pages.
      if (!isLast) await new Promise(resolve => setImmediate(resolve))
    }
  }

  #deliver(events: StoredEvent[]): void {
    try {
      const result: unknown = this.#options.handler(events)
      // The type allows an async handler; its rejection is the handler's error, not an unhandled
      // one.
      if (result instanceof Promise) result.catch(this.#options.onError)
    } catch (error) {
      this.#options.onError(error)
    }
  }
}
