import type { EventStore, StoredEvent, Subscription } from '../../store/index.js'
import type { StreamEvent } from '../api-types.js'
import type { CleanText } from '../wire/clean-text.js'
import type { Sendable } from '../wire/index.js'
import { cursorOf } from './cursor.js'

/** An event of the log as a frame. It is serialised once for all streams. */
export interface FedEvent {
  position: number
  type: string
  stream: string
  data: Record<string, unknown>
  frame: string
}

/** Follows the log, once for all streams. */
export class EventFeed {
  readonly #store: EventStore
  readonly #text: CleanText
  readonly #listeners = new Set<(events: readonly FedEvent[]) => void>()
  readonly #subscription: Subscription
  #position: number

  private constructor(store: EventStore, text: CleanText, head: number, onError: (error: unknown) => void) {
    this.#store = store
    this.#text = text
    this.#position = head
    this.#subscription = store.subscribe({ after: head, onError }, events => {
      this.#position = events.at(-1)!.position
      if (this.#listeners.size === 0) return
      const fed = events.map(event => this.feed(event))
      for (const listener of this.#listeners) listener(fed)
    })
  }

  static async open(store: EventStore, text: CleanText, onError: (error: unknown) => void): Promise<EventFeed> {
    return new EventFeed(store, text, await store.head(), onError)
  }

  /**
   * Resolves when listeners have received everything that was in the log at the time of the call.
   */
  catchUp(): Promise<void> {
    return this.#subscription.poll()
  }

  /** The position up to which listeners have received events; the log may be slightly ahead. */
  get position(): number {
    return this.#position
  }

  listen(listener: (events: readonly FedEvent[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  feed(event: StoredEvent): FedEvent {
    const { type, at, stream, version, data, position } = event
    const body: Sendable<StreamEvent> = { type, at, subject: stream, version, data }
    const json = this.#text.json(body, 'rfc3339')
    return { position, type, stream, data, frame: frameOf(type, json, cursorOf(this.#store.id, position)) }
  }

  close(): void {
    this.#subscription.close()
    this.#listeners.clear()
  }
}

/** One server-sent event. Serialised JSON has no line feeds, so it fits into one data line. */
export function frameOf(event: string, json: string, id?: string): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${json}\n\n`
}
