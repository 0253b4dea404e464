import { type Clock, delay } from '../../clock/index.js'
import { type EventData, type EventType, newEvent } from '../../events/index.js'
import type { EventStore, Lease, StoredEvent } from '../../store/index.js'
import { type WebhookRecord, webhookStream, webhooksProjection } from './webhook-record.js'
import { isWanted, signedHeaders, webhookPayload } from './webhook-request.js'

interface WebhookTarget {
  name: string
  url: string
  /** Which types of events it receives. */
  events: readonly string[]
  /** Signs what is sent; null: unsigned. */
  secret: string | null
}

export interface WebhookDeliveryOptions {
  store: EventStore
  clock: Clock
  target: WebhookTarget
  /** This process, for the lease: one process delivers. */
  owner: string
  isGone?: (owner: string) => boolean
  redact(value: unknown): unknown
  onError(error: unknown): void
}

/** Delays before a further attempt; after the last one the event is a dead letter. */
const RETRIES_MS = [1_000, 5_000, 30_000, 120_000, 600_000]
const TIMEOUT_MS = 15_000
const PAGE = 100
const LEASE_MS = 60_000
/** Without an event: how often the log, or the holder of the lease, is checked. */
const IDLE_MS = 15_000
/** Refusals that may pass: timeout, conflict, too early, too many. */
const TEMPORARY = new Set([408, 409, 425, 429])

/**
 * Sends the events of the log to one address, in order, each at least once. The position is written
 * after each page, so a crash repeats at most that page; the id of an event stays the same. An
 * event that the receiver refuses, or has not accepted after all attempts, becomes a dead letter,
 * and the next event follows.
 */
export class WebhookDelivery {
  readonly #options: WebhookDeliveryOptions
  readonly #stopped = new AbortController()
  #wake: () => void = () => undefined
  #working: Promise<void> = Promise.resolve()
  #subscription: { close(): void } | null = null
  #lease: Lease | null = null

  constructor(options: WebhookDeliveryOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { store, onError } = this.#options
    // The first start begins here: older events are sent if a person asks for them.
    const head = await store.head()
    if (!(await this.#record())) await this.#write('webhook.advanced', { position: head, delivered: 0 })
    this.#subscription = store.subscribe({ after: head, onError }, () => this.#wake())
    this.#working = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#subscription?.close()
    this.#wake()
    await this.#working
    if (this.#lease) await this.#options.store.releaseLease(this.#lease)
  }

  get #isStopped(): boolean {
    return this.#stopped.signal.aborted
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const isNews = new Promise<void>(resolve => (this.#wake = resolve))
      try {
        if ((await this.#holdsLease()) && (await this.#deliverPage())) continue
      } catch (error) {
        this.#options.onError(error)
      }
      await this.#pause(IDLE_MS, isNews)
    }
  }

  /** Returns false if there is nothing to send now. */
  async #deliverPage(): Promise<boolean> {
    const { store, target } = this.#options
    const record = await this.#record()
    if (!record) return false
    if (record.retries.length > 0) {
      await this.#redeliver(record.retries)
      return true
    }
    const page = await store.readAll({ after: record.position, limit: PAGE })
    const last = page.at(-1)
    if (!last) return false
    let [position, delivered] = [record.position, 0]
    for (const event of page) {
      // Its own events would never end.
      if (!event.type.startsWith('webhook.') && isWanted(event.type, target.events)) {
        const error = await this.#deliver(event)
        if (this.#isStopped && error !== null) break
        if (error === null) delivered++
        else await this.#addDeadLetter(event, error)
      }
      position = event.position
    }
    // Positions that only webhooks caused are not worth an event of their own.
    const isOwn = page.length < PAGE && page.every(({ type }) => type.startsWith('webhook.'))
    if (position > record.position && !isOwn) await this.#write('webhook.advanced', { position, delivered })
    return !isOwn && !this.#isStopped
  }

  async #redeliver(positions: readonly number[]): Promise<void> {
    for (const position of positions) {
      const [event] = await this.#options.store.readAll({ after: position - 1, limit: 1 })
      if (this.#isStopped || event?.position !== position) return
      const error = await this.#deliver(event)
      if (error === null) await this.#write('webhook.redelivered', { position })
      else await this.#addDeadLetter(event, error)
    }
  }

  async #addDeadLetter({ position, type }: StoredEvent, { message, attempts }: Failure): Promise<void> {
    await this.#write('webhook.dead', { position, type, attempts, error: message })
  }

  /** Returns null if the receiver accepted it. */
  async #deliver(event: StoredEvent): Promise<Failure | null> {
    for (let attempt = 1; ; attempt++) {
      const failure = await this.#attempt(event)
      if (failure === null) return null
      const waitMs = RETRIES_MS[attempt - 1]
      if (failure.isFinal || waitMs === undefined) return { message: failure.message, attempts: attempt }
      await this.#pause(Math.max(waitMs, failure.afterMs))
      if (this.#isStopped) return { message: failure.message, attempts: attempt }
      await this.#holdsLease()
    }
  }

  async #attempt(event: StoredEvent): Promise<{ message: string; isFinal: boolean; afterMs: number } | null> {
    const { target, store, clock, redact } = this.#options
    const payload = webhookPayload(store.id, event, redact)
    const body = JSON.stringify(payload)
    try {
      const response = await fetch(target.url, {
        method: 'POST',
        headers: signedHeaders({ id: payload.id, body, secret: target.secret }, clock.now()),
        body,
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), this.#stopped.signal]),
      })
      await response.arrayBuffer()
      if (response.ok) return null
      const { status } = response
      const isFinal = status < 500 && !TEMPORARY.has(status)
      return {
        message: `answered ${status}`,
        isFinal,
        afterMs: Number(response.headers.get('retry-after') ?? 0) * 1000 || 0,
      }
    } catch (error) {
      const { message, cause } = error as Error & { cause?: { message?: string } }
      return { message: cause?.message ?? message, isFinal: false, afterMs: 0 }
    }
  }

  async #holdsLease(): Promise<boolean> {
    const { store, target, owner, isGone } = this.#options
    if (this.#lease && (await store.renewLease(this.#lease, LEASE_MS))) return true
    const lease = await store.acquireLease(webhookStream(target.name), owner, {
      ttlMs: LEASE_MS,
      ...(isGone && { isGone }),
    })
    this.#lease = lease.isAcquired ? lease : null
    return this.#lease !== null
  }

  async #record(): Promise<WebhookRecord | null> {
    const { store, target } = this.#options
    return (await store.document<WebhookRecord>(webhooksProjection.name, target.name))?.state ?? null
  }

  #write<T extends EventType>(type: T, data: EventData<T>): Promise<unknown> {
    const { store, target } = this.#options
    return store.append(webhookStream(target.name), 'any', [newEvent(type, data)])
  }

  /** Waits until the time has passed, the log has a new event, or the delivery stops. */
  async #pause(ms: number, isNews: Promise<void> = new Promise(() => undefined)): Promise<void> {
    const news = new AbortController()
    void isNews.then(() => news.abort())
    await delay(this.#options.clock, ms, AbortSignal.any([news.signal, this.#stopped.signal]))
  }
}

interface Failure {
  message: string
  attempts: number
}
