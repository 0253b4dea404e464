import type { Clock } from '../../clock/index.js'
import { newEvent } from '../../events/index.js'
import { telegramCursorProjection } from '../../host/index.js'
import type { EventStore, StoredEvent, StreamAppend, Subscription } from '../../store/index.js'
import type { Outbox } from './outbox.js'
import type { Queued } from './outbox-item.js'

export interface Words {
  items: Queued[]
  /** What must be written with them: the tokens of their buttons. */
  appends: StreamAppend[]
}

export interface FollowerOptions {
  store: EventStore
  clock: Clock
  outbox: Outbox
  /** Event types that somebody may want to hear of. */
  types: readonly string[]
  /** What is to be said about these events. Asked in the order of the log. */
  tell(events: readonly StoredEvent[]): Promise<Words>
  onError(error: unknown): void
}

const TRIES = 3

/**
 * Reads the log and puts it into words, once: what is to be said and how far was read are written together. After a crash it goes on
 * where it was, so nothing that happened meanwhile is missed and nothing is told twice.
 */
export class Follower {
  readonly #options: FollowerOptions
  #subscription: Subscription | null = null
  #working: Promise<void> = Promise.resolve()

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  /** The first time it begins now: what was before anybody was here is nobody's news. */
  async start(): Promise<void> {
    const { store, types, onError } = this.#options
    const known = await store.document<{ position: number }>(telegramCursorProjection.name, 'log')
    const after = known?.state.position ?? (await this.#beginNow())
    this.#subscription = store.subscribe({ after, types, onError }, events => {
      this.#working = this.#working.then(() => this.#tell(events)).catch(onError)
    })
  }

  /** Written at once: what happens before the first words, while the bot is away, is news already. */
  async #beginNow(): Promise<number> {
    const position = await this.#options.store.head()
    await this.#options.store.append('telegram/cursor', 'any', [newEvent('telegram.read-on', { position })])
    return position
  }

  /** Resolves when everything that is in the log by now has been put into words. */
  async settled(): Promise<void> {
    await this.#subscription?.poll()
    await this.#working
  }

  /** Does this between two tellings. */
  inTurn(work: () => Promise<void>): Promise<void> {
    this.#working = this.#working.then(work).catch(this.#options.onError)
    return this.#working
  }

  async stop(): Promise<void> {
    this.#subscription?.close()
    await this.#working
  }

  async #tell(events: readonly StoredEvent[]): Promise<void> {
    const last = events.at(-1)
    if (!last) return
    const read = newEvent('telegram.read-on', { position: last.position })
    const cursor: StreamAppend = { stream: 'telegram/cursor', expected: 'any', events: [read] }
    for (let attempt = 1; ; attempt++) {
      try {
        const { items, appends } = await this.#options.tell(events)
        await this.#options.outbox.say(items, [...appends, cursor])
        return
      } catch (error) {
        this.#options.onError(error)
        // What cannot be put into words is passed over at last: the rest of the world goes on.
        if (attempt === TRIES) return void (await this.#options.outbox.say([], [cursor]))
      }
    }
  }
}
