import type { StoredEvent, Subscription } from '../event-store.js'
import type { EventPage } from './event-reader.js'

export interface SubscriptionOptions {
  after: number
  readPage: (after: number) => Promise<EventPage>
  handler: (events: StoredEvent[]) => void
  onError: (error: unknown) => void
  onClose: (subscription: LogSubscription) => void
}

/**
 * Reads the log from its own cursor whenever somebody says that there may be more. Being told too often costs one read that finds
 * nothing, so nobody has to be exact about when; only the cursor decides what is delivered, hence no gap and no double.
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
        // The cursor stands where it stood: the next wake-up tries again.
        if (!this.#isClosed) this.#options.onError(error)
      }
    }
    // In the same step as the last look at `#isDirty`, so that no call to `poll` can fall between the two and be lost.
    this.#running = undefined
  }

  async #deliverToHead(): Promise<void> {
    for (let isLast = false; !isLast && !this.#isClosed; ) {
      const page = await this.#options.readPage(this.#cursor)
      if (this.#isClosed) return
      this.#cursor = page.next
      isLast = page.isLast
      if (page.events.length > 0) this.#hand(page.events)
      // A long catch-up lets the rest of the program live between its pages.
      if (!isLast) await new Promise(resolve => setImmediate(resolve))
    }
  }

  #hand(events: StoredEvent[]): void {
    try {
      const result: unknown = this.#options.handler(events)
      // The type allows an async handler; its rejection is the handler's error, not the process's.
      if (result instanceof Promise) result.catch(this.#options.onError)
    } catch (error) {
      this.#options.onError(error)
    }
  }
}
