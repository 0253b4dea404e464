import type { Clock, Timer } from '../../clock/index.js'
import type { LiveBus, LiveUpdate } from '../../host/index.js'
import type { EventStore, StoredEvent, Subscription } from '../../store/index.js'
import type { AgentStatsUpdate, MessageUpdate, StreamEvent, TypingUpdate } from '../api-types.js'
import type { Call } from '../route.js'
import type { CleanText } from '../wire/clean-text.js'
import type { Sendable } from '../wire/index.js'

/*
 * The parts of a stream of server-sent events: `EventFeed` and `UpdateFeed` serialise each event of
 * the log and each ephemeral update, once for all subscribers; an `EventQueue` holds what one
 * subscriber has not been sent yet, and `streamOf` makes a response of it. routes/events.ts
 * connects them.
 */

/** An event of the log, and its text as a server-sent event. */
export interface SerializedEvent {
  position: number
  type: string
  stream: string
  data: Record<string, unknown>
  text: string
}

/** Follows the log, once for all streams. */
export class EventFeed {
  readonly #store: EventStore
  readonly #text: CleanText
  readonly #listeners = new Set<(events: readonly SerializedEvent[]) => void>()
  readonly #subscription: Subscription
  #position: number

  private constructor(store: EventStore, text: CleanText, head: number, onError: (error: unknown) => void) {
    this.#store = store
    this.#text = text
    this.#position = head
    this.#subscription = store.subscribe({ after: head, onError }, events => {
      this.#position = events.at(-1)!.position
      if (this.#listeners.size === 0) return
      const serialized = events.map(event => this.serialize(event))
      for (const listener of this.#listeners) listener(serialized)
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

  listen(listener: (events: readonly SerializedEvent[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  serialize(event: StoredEvent): SerializedEvent {
    const { type, at, stream, version, data, position } = event
    const body: Sendable<StreamEvent> = { type, at, subject: stream, version, data }
    const json = this.#text.json(body, 'rfc3339')
    return { position, type, stream, data, text: serverSentEvent(type, json, cursorOf(this.#store.id, position)) }
  }

  close(): void {
    this.#subscription.close()
    this.#listeners.clear()
  }
}

/** One server-sent event. Serialised JSON has no line feeds, so it fits into one data line. */
export function serverSentEvent(event: string, json: string, id?: string): string {
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

export interface SerializedUpdate {
  type: LiveUpdate['type']
  session: string
  text(): string
}

/** Provisional text, serialised once for all streams that watch the session. */
export class UpdateFeed {
  readonly #listeners = new Set<(update: SerializedUpdate) => void>()
  readonly #unlisten: () => void

  constructor(bus: LiveBus, text: CleanText) {
    this.#unlisten = bus.listen(update => {
      if (this.#listeners.size === 0) return
      const { type, session } = update
      let written: string | null = null
      const asText = () => {
        const body: Sendable<MessageUpdate | AgentStatsUpdate | TypingUpdate> = update
        written ??= serverSentEvent(type, text.json(body, 'rfc3339'))
        return written
      }
      const shared = { type, session, text: asText }
      for (const listener of this.#listeners) listener(shared)
    })
  }

  listen(listener: (update: SerializedUpdate) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#unlisten()
    this.#listeners.clear()
  }
}

/** A subscriber with more unread is disconnected; it resumes from its cursor. */
const WAITING_EVENTS_MAX = 1_000
const WAITING_BYTES_MAX = 1024 * 1024

/**
 * Ephemeral updates are sent at most this often, and together: every chunk costs a browser time,
 * however small it is, and two hundred panes would send hundreds per second. Logged events are sent
 * at once, together with the ephemeral updates that wait.
 */
export const EPHEMERAL_MS = 50

interface QueueOptions {
  /** With null, ephemeral updates are sent at once. */
  clock?: Clock | null
  ephemeralMs?: number
}

/** An object, so that a newer ephemeral update replaces its text and keeps its position. */
interface Waiting {
  text: string
}

/**
 * The events that one subscriber has not been sent yet. Nothing here waits for the subscriber: a
 * slow one costs a bounded queue and then its connection, and never delays other subscribers.
 */
export class EventQueue {
  readonly #clock: Clock | null
  readonly #ephemeralMs: number
  #waiting: Waiting[] = []
  /** The newest ephemeral update of each key. */
  #ephemeral = new Map<string, Waiting>()
  /** A waiting event must be sent at once. */
  #isUrgent = false
  /** Ephemeral updates are not sent before this time. */
  #delayedUntil = Number.NEGATIVE_INFINITY
  #timer: Timer | null = null
  #bytes = 0
  #wake: (() => void) | null = null
  #isEnding = false
  #onEnding: (() => void) | null = null

  constructor({ clock = null, ephemeralMs = EPHEMERAL_MS }: QueueOptions = {}) {
    this.#clock = clock
    this.#ephemeralMs = ephemeralMs
  }

  /** Calls back once, when the last event was queued. */
  onEnding(callback: () => void): void {
    this.#onEnding = callback
    if (this.#isEnding) callback()
  }

  /**
   * Queues a logged event. It is never dropped: a subscriber that cannot keep up is disconnected.
   * An event that is not urgent waits for the next interval.
   */
  push(text: string, { isUrgent = true } = {}): void {
    if (this.#isEnding) return
    this.#waiting.push({ text })
    this.#bytes += text.length
    if (isUrgent) this.#isUrgent = true
    // A subscriber that is waiting keeps up, however much arrives at once.
    const isTooMuch = this.#waiting.length > WAITING_EVENTS_MAX || this.#bytes > WAITING_BYTES_MAX
    if (isTooMuch && !this.#wake) this.end('slow')
    else if (this.#isDue()) this.#wake?.()
  }

  /** Queues an ephemeral update: it replaces a waiting one with the same key. */
  pushEphemeral(key: string, text: string): void {
    if (this.#isEnding) return
    const before = this.#ephemeral.get(key)
    if (before) {
      this.#bytes += text.length - before.text.length
      before.text = text
    } else {
      const waiting = { text }
      this.#waiting.push(waiting)
      this.#ephemeral.set(key, waiting)
      this.#bytes += text.length
    }
    if (this.#bytes > WAITING_BYTES_MAX && !this.#wake) this.end('slow')
    else if (this.#isDue()) this.#wake?.()
  }

  /** Sends `bye` with the reason and drops the events that wait. */
  end(reason: string): void {
    if (this.#isEnding) return
    this.#isEnding = true
    this.#waiting = [{ text: serverSentEvent('bye', JSON.stringify({ reason })) }]
    this.#wake?.()
    this.#onEnding?.()
  }

  /** Sends what waits, then ends. */
  finish(): void {
    this.#isEnding = true
    this.#wake?.()
  }

  /** All waiting events as one text; null at the end. */
  async next(): Promise<string | null> {
    while (!this.#isDue()) {
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
      this.#wake = null
    }
    if (this.#waiting.length === 0) return null
    const text = this.#waiting.map(({ text }) => text).join('')
    this.#waiting = []
    this.#ephemeral.clear()
    this.#isUrgent = false
    this.#bytes = 0
    this.#delayedUntil = (this.#clock?.monotonic() ?? 0) + this.#ephemeralMs
    return text
  }

  /** Whether `next` has a result now. Sets a timer for events that are delayed. */
  #isDue(): boolean {
    if (this.#isEnding) return true
    if (this.#waiting.length === 0) return false
    const delayMs = this.#clock === null || this.#isUrgent ? 0 : this.#delayedUntil - this.#clock.monotonic()
    if (delayMs <= 0) return true
    this.#timer ??= this.#clock!.setTimer(delayMs, () => {
      this.#timer = null
      this.#wake?.()
    })
    return false
  }

  abort(): void {
    this.#isEnding = true
    this.#waiting = []
    this.#timer?.cancel()
    this.#wake?.()
  }

  get isEnding(): boolean {
    return this.#isEnding
  }

  get waiting(): number {
    return this.#waiting.length
  }
}

/** How long a subscriber has to read the last event before its connection is cut. */
const CLOSE_GRACE_MS = 5_000

/** Streams `opening`, then the queue; reads when the subscriber took the last chunk. */
export function streamOf(
  { parts, closed, hangUp }: Pick<Call, 'parts' | 'closed' | 'hangUp'>,
  queue: EventQueue,
  opening: AsyncIterator<string> | null,
  close: () => void,
): Response {
  const encoder = new TextEncoder()
  let first = opening
  let byeTimer: Timer | null = null
  const finish = () => {
    byeTimer?.cancel()
    first = null
    queue.abort()
    close()
  }
  closed.addEventListener('abort', finish)
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const ahead = await first?.next()
        if (ahead?.done) first = null
        const text = ahead && !ahead.done ? ahead.value : await queue.next()
        if (text === null) {
          finish()
          controller.close()
          return
        }
        controller.enqueue(encoder.encode(text))
      },
      cancel: finish,
    },
    { highWaterMark: 0 },
  )
  queue.onEnding(() => {
    byeTimer = parts.clock.setTimer(CLOSE_GRACE_MS, hangUp)
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    },
  })
}
