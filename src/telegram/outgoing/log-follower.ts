import type { Clock } from '../../clock/index.js'
import { newEvent } from '../../events/index.js'
import { telegramCursorProjection } from '../../host/index.js'
import type { EventStore, StoredEvent, StreamAppend, Subscription } from '../../store/index.js'
import type { Outbox } from './outbox.js'
import type { OutboxItem } from './outbox-item.js'

/** Items for the outbox, and what belongs to them. */
export interface OutboxBatch {
  items: OutboxItem[]
  /** Written in the same transaction: the tokens of their buttons. */
  appends: StreamAppend[]
}

interface LogFollowerOptions {
  store: EventStore
  clock: Clock
  outbox: Outbox
  /** Event types that lead to messages. */
  types: readonly string[]
  /** The messages about these events. Called in the order of the log. */
  messagesFor(events: readonly StoredEvent[]): Promise<OutboxBatch>
  onError(error: unknown): void
}

const ATTEMPTS = 3

/**
 * Reads the log and turns its events into messages, exactly once: the messages and the position in
 * the log are written together. After a crash it resumes at that position, so that no event is
 * missed and none is reported twice.
 */
export class LogFollower {
  readonly #options: LogFollowerOptions
  #subscription: Subscription | null = null
  #working: Promise<void> = Promise.resolve()

  constructor(options: LogFollowerOptions) {
    this.#options = options
  }

  /** The very first start begins at the end of the log: older events are not reported. */
  async start(): Promise<void> {
    const { store, types, onError } = this.#options
    const known = await store.document<{ position: number }>(telegramCursorProjection.name, 'log')
    const after = known?.state.position ?? (await this.#startAtHead())
    this.#subscription = store.subscribe({ after, types, onError }, events => {
      this.#working = this.#working.then(() => this.#process(events)).catch(onError)
    })
  }

  /** Written at once: events that follow while the bot is not running must be reported. */
  async #startAtHead(): Promise<number> {
    const position = await this.#options.store.head()
    await this.#options.store.append('telegram/cursor', 'any', [newEvent('telegram.log-read', { position })])
    return position
  }

  /** Resolves when all events that are in the log now have been processed. */
  async settled(): Promise<void> {
    await this.#subscription?.poll()
    await this.#working
  }

  /** Runs `work` between two batches of events. */
  betweenBatches(work: () => Promise<void>): Promise<void> {
    this.#working = this.#working.then(work).catch(this.#options.onError)
    return this.#working
  }

  async stop(): Promise<void> {
    this.#subscription?.close()
    await this.#working
  }

  async #process(events: readonly StoredEvent[]): Promise<void> {
    const last = events.at(-1)
    if (!last) return
    const read = newEvent('telegram.log-read', { position: last.position })
    const cursor: StreamAppend = { stream: 'telegram/cursor', expected: 'any', events: [read] }
    for (let attempt = 1; ; attempt++) {
      try {
        const { items, appends } = await this.#options.messagesFor(events)
        await this.#options.outbox.enqueue(items, [...appends, cursor])
        return
      } catch (error) {
        this.#options.onError(error)
        // Events that fail again and again are skipped, so that later ones are still reported.
        if (attempt === ATTEMPTS) return void (await this.#options.outbox.enqueue([], [cursor]))
      }
    }
  }
}
