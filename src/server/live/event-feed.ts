import type { LiveBus, LiveUpdate } from '../../host/index.js'
import type { EventStore, StoredEvent, Subscription } from '../../store/index.js'
import type { AgentStatsUpdate, MessageUpdate, StreamEvent, TypingUpdate } from '../api-types.js'
import type { CleanText } from '../wire/clean-text.js'
import type { Sendable } from '../wire/index.js'

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

/** A position in the log as one opaque word: `<store>:<position>`. */
export function cursorOf(store: string, position: number): string {
  return `${store}:${position}`
}

/** Null for a cursor of another store. A plain number is a position of this store. */
export function positionOf(cursor: string | undefined, store: string): number | null {
  if (cursor === undefined) return null
  const [name, position] = cursor.includes(':') ? cursor.split(':') : [store, cursor]
  return name === store && /^\d{1,15}$/.test(position ?? '') ? Number(position) : null
}

export interface FedUpdate {
  type: LiveUpdate['type']
  session: string
  frame(): string
}

/** Provisional text, serialised once for all streams that watch the session. */
export class UpdateFeed {
  readonly #listeners = new Set<(update: FedUpdate) => void>()
  readonly #unlisten: () => void

  constructor(bus: LiveBus, text: CleanText) {
    this.#unlisten = bus.listen(update => {
      if (this.#listeners.size === 0) return
      const { type, session } = update
      let written: string | null = null
      const frame = () => {
        const body: Sendable<MessageUpdate | AgentStatsUpdate | TypingUpdate> = update
        written ??= frameOf(type, text.json(body, 'rfc3339'))
        return written
      }
      const fed = { type, session, frame }
      for (const listener of this.#listeners) listener(fed)
    })
  }

  listen(listener: (update: FedUpdate) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#unlisten()
    this.#listeners.clear()
  }
}
