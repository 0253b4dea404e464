import type { Clock } from '../../clock/index.js'
import { delay, newId } from '../../clock/index.js'
import { newEvent } from '../../events/index.js'
import { type QueuedItem, telegramOutboxProjection } from '../../host/index.js'
import type { EventStore, StreamAppend, Subscription } from '../../store/index.js'
import { ApiProblem } from '../bot-api.js'
import type { BotSender } from './bot-sender.js'
import { ChatQueue, type QueueStep } from './chat-queue.js'
import type { EphemeralAction, OutboxItem } from './outbox-item.js'
import {
  backOff,
  type CallKind,
  countCall,
  DEFAULT_RATE_LIMITS,
  newRateState,
  type RateLimits,
  type RateState,
  type Throttle,
  waitBefore,
} from './rate-limiter.js'
import { plainOf } from './split.js'

export interface OutboxOptions {
  store: EventStore
  clock: Clock
  sender: BotSender
  /** By default below what Telegram allows. */
  limits?: RateLimits
  /** A chat can no longer be reached; its sessions continue. */
  onGone(chat: number, reason: string): Promise<void>
  onUnauthorized(): void
  /** A group got a new id: its people are checked again there. */
  onMoved(from: number, to: number): Promise<void>
  onError(error: unknown): void
}

/** Items of lanes 2 and 3 that are older are dropped; other surfaces show them. */
const AGE_MAX_MS = 24 * 3_600_000
const FIRST_RETRY_MS = 1000
const RETRY_MAX_MS = 60_000
/** The wait after a refusal that does not say how long to wait. */
const DEFAULT_BACKOFF_MS = 5000
/** How often a call that waits for its turn checks whether the bot is stopping. */
const STOP_CHECK_MS = 500
/** More messages than this that wait for one chat become one file. */
const QUEUE_MAX = 200

const itemStream = (id: string) => `telegram/item/${id}`

/** What the bot has to send, kept until sent: a queue per chat, by lane and rate. */
export class Outbox {
  readonly #options: OutboxOptions
  readonly #queues = new Map<number, ChatQueue>()
  #subscription: Subscription | null = null
  readonly #since: number
  #rateOfAll: RateState
  #isStopped = false

  constructor(options: OutboxOptions) {
    this.#options = options
    this.#since = options.clock.monotonic()
    this.#rateOfAll = newRateState(this.#since)
  }

  async start(): Promise<void> {
    const { store, onError } = this.#options
    const after = await store.head()
    for (const item of await this.#waiting()) this.#queueOf(item.chat).add(item)
    this.#subscription = store.subscribe({ after, types: ['telegram.queued'], onError }, events => {
      for (const { stream, data, at } of events) {
        const id = stream.slice(stream.lastIndexOf('/') + 1)
        this.#queueOf((data as unknown as QueuedItem).chat).add({
          ...(data as unknown as QueuedItem),
          id,
          at,
          attempts: 0,
        })
      }
    })
  }

  /**
   * In the order in which they were queued: a document's own position changes with each attempt.
   */
  async #waiting(): Promise<QueuedItem[]> {
    const { store } = this.#options
    const items: { item: QueuedItem; position: number }[] = []
    for (const { state } of await store.documents<QueuedItem>(telegramOutboxProjection.name)) {
      const [queued] = await store.readStream(itemStream(state.id), { limit: 1 })
      items.push({ item: state, position: queued?.position ?? 0 })
    }
    return items.sort((a, b) => a.position - b.position).map(({ item }) => item)
  }

  /** For a transaction of the caller: once that is written, the item is in the outbox. */
  append(item: OutboxItem): StreamAppend {
    const { chat, topic, lane, subject, act, notBefore } = item
    const data = {
      chat,
      lane,
      subject,
      act: { ...act },
      ...(topic !== undefined && { topic }),
      ...(notBefore !== undefined && { notBefore }),
    }
    return { stream: itemStream(newId('tgi')), expected: 0, events: [newEvent('telegram.queued', data)] }
  }

  /** Writes the items, and what belongs to them, in one transaction. */
  async enqueue(items: readonly OutboxItem[], others: readonly StreamAppend[] = []): Promise<void> {
    if (items.length + others.length === 0) return
    await this.#options.store.appendAll([...items.map(item => this.append(item)), ...others])
    await this.#subscription?.poll()
  }

  /** Sends now or never; a newer action with the same key replaces this one. */
  sendEphemeral(chat: number, key: string, act: EphemeralAction): void {
    if (!this.#isStopped) this.#queueOf(chat).addEphemeral(key, act)
  }

  dropEphemeral(chat: number, key: string): void {
    this.#queues.get(chat)?.dropEphemeral(key)
  }

  /** Sends what waited while the chat could not be reached. */
  resume(chat: number): void {
    this.#queues.get(chat)?.resume()
  }

  /** Telegram refused too often recently to keep on streaming to this chat. */
  isThrottled(chat: number, now: number): boolean {
    return this.#queues.get(chat)?.isThrottled(now) ?? false
  }

  /**
   * The answer to a button press is sent before everything else, once, and dropped when it is late.
   */
  async toast(id: string, text: string, isAlert: boolean): Promise<void> {
    await this.#options.sender.toast(id, text, isAlert).catch(error => {
      // Telegram refuses answers to old presses: that is not an error.
      if (!(error instanceof ApiProblem)) this.#options.onError(error)
    })
  }

  /** Resolves when no durable item waits. */
  async settled(): Promise<void> {
    await this.#subscription?.poll()
    await Promise.all([...this.#queues.values()].map(queue => queue.settled()))
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#subscription?.close()
    await Promise.all([...this.#queues.values()].map(queue => queue.stop()))
  }

  #queueOf(chat: number): ChatQueue {
    const known = this.#queues.get(chat)
    if (known) return known
    const queue = new ChatQueue({
      chat,
      rate: newRateState(this.#since),
      clock: this.#options.clock,
      step: each => this.#step(each),
      onError: this.#options.onError,
    })
    this.#queues.set(chat, queue)
    return queue
  }

  /** Sends one item of one chat. @returns how long to wait before the next step. */
  async #step(queue: ChatQueue): Promise<QueueStep> {
    const { sender, clock } = this.#options
    const now = clock.now()
    const next = queue.next(now)
    if (!next) return { waitMs: queue.dueIn(now) }
    const kind: CallKind = await sender.kindOf(queue.chat, next)
    const wait = this.#waitBefore(queue, kind)
    if (wait > 0) return { waitMs: wait }
    if ('id' in next && (await this.#dropIfObsolete(queue, next))) return { waitMs: 0 }
    const surplus = queue.surplus(QUEUE_MAX)
    if (surplus.length > 0) return this.#collapse(queue, surplus)
    this.#countCall(queue, kind)
    const throttle = this.#throttle(queue, kind)
    try {
      if ('id' in next) await this.#send(queue, next, throttle)
      else {
        queue.ephemeralSending(next)
        await sender.sendEphemeral(queue.chat, next.key, next.act, throttle)
      }
      queue.failures = 0
      return { waitMs: 0 }
    } catch (error) {
      return await this.#failed(queue, 'id' in next ? next : null, error)
    }
  }

  #waitBefore(queue: ChatQueue, kind: CallKind): number {
    const { clock, limits = DEFAULT_RATE_LIMITS } = this.#options
    const now = clock.monotonic()
    return Math.max(
      waitBefore(queue.rate, kind, scopeOf(queue), now, limits),
      waitBefore(this.#rateOfAll, kind, 'all', now, limits),
    )
  }

  #countCall(queue: ChatQueue, kind: CallKind): void {
    const { clock, limits = DEFAULT_RATE_LIMITS } = this.#options
    const now = clock.monotonic()
    queue.rate = countCall(queue.rate, kind, scopeOf(queue), now, limits)
    this.#rateOfAll = countCall(this.#rateOfAll, kind, 'all', now, limits)
  }

  /** An item may need several calls: each after the first waits for its turn. */
  #throttle(queue: ChatQueue, counted: CallKind): Throttle {
    let isCounted = true
    return async kind => {
      if (isCounted && kind === counted) {
        isCounted = false
        return
      }
      for (let wait = this.#waitBefore(queue, kind); wait > 0; wait = this.#waitBefore(queue, kind)) {
        if (this.#isStopped) throw new ApiProblem('the bot is stopping', { code: 0 })
        await delay(this.#options.clock, Math.min(wait, STOP_CHECK_MS))
      }
      this.#countCall(queue, kind)
    }
  }

  /** Sends all of these, in their order, as one file. */
  async #collapse(queue: ChatQueue, items: readonly QueuedItem[]): Promise<QueueStep> {
    const title = `${items.length} messages`
    const text = items.map(({ act }) => textOf(act as unknown as OutboxItem['act'])).join('\n\n— — —\n\n')
    const file: OutboxItem = {
      chat: queue.chat,
      lane: 2,
      subject: `collapsed ${items[0]!.id}`,
      act: { do: 'file', name: 'messages.txt', text, caption: title },
    }
    const dropped = items.map(({ id }): StreamAppend => {
      const events = [newEvent('telegram.dropped', { reason: `one of ${title} in a file` })]
      return { stream: itemStream(id), expected: 'any', events }
    })
    await this.enqueue([file], dropped)
    for (const item of items) queue.done(item)
    return { waitMs: 0 }
  }

  async #dropIfObsolete(queue: ChatQueue, item: QueuedItem): Promise<boolean> {
    const reason = queue.isSuperseded(item)
      ? 'superseded'
      : item.lane >= 2 && this.#options.clock.now() - item.at > AGE_MAX_MS
        ? 'too old'
        : (await this.#options.sender.isObsolete(item))
          ? 'closed before it was shown'
          : null
    if (reason === null) return false
    await this.#drop(queue, item, reason)
    return true
  }

  async #send(queue: ChatQueue, item: QueuedItem, throttle: Throttle): Promise<void> {
    const { store, sender } = this.#options
    const stream = itemStream(item.id)
    const attempt = item.attempts + 1
    await store.append(stream, 'any', [newEvent('telegram.sending', { attempt })], { durability: 'normal' })
    const isRetry = item.attempts > 0
    item.attempts = attempt
    const { messages, shown } = await sender.send(item, { isRetry, throttle })
    await store.appendAll([{ stream, expected: 'any', events: [newEvent('telegram.sent', { messages })] }, ...shown])
    queue.done(item)
  }

  async #drop(queue: ChatQueue, item: QueuedItem, reason: string): Promise<void> {
    await this.#options.store.append(itemStream(item.id), 'any', [newEvent('telegram.dropped', { reason })])
    queue.done(item)
  }

  /** Sends the item to the chat's new id. */
  async #move(queue: ChatQueue, item: QueuedItem | null, to: number): Promise<void> {
    await this.#options.onMoved(queue.chat, to)
    if (!item) return
    const { topic, lane, subject, act } = item
    const moved: OutboxItem = {
      chat: to,
      lane: lane as OutboxItem['lane'],
      subject,
      act: act as unknown as OutboxItem['act'],
      ...(topic !== undefined && { topic }),
    }
    await this.enqueue([moved])
    await this.#drop(queue, item, 'the chat has a new id')
  }

  /** Telegram refused the call as a whole: sending it later is not a repetition. */
  async #uncountAttempt(item: QueuedItem | null): Promise<void> {
    if (!item || item.attempts === 0) return
    const refused = newEvent('telegram.sending', { attempt: item.attempts, isRefused: true })
    item.attempts -= 1
    await this.#options.store.append(itemStream(item.id), 'any', [refused], { durability: 'normal' })
  }

  async #failed(queue: ChatQueue, item: QueuedItem | null, error: unknown): Promise<QueueStep> {
    const { clock, onError, onGone, onUnauthorized } = this.#options
    if (!(error instanceof ApiProblem)) {
      onError(error)
      if (item) await this.#drop(queue, item, 'it could not be rendered')
      return { waitMs: 0 }
    }
    const now = clock.monotonic()
    if (error.movedTo !== null) {
      await this.#move(queue, item, error.movedTo)
      return { waitMs: 0 }
    }
    if (error.code === 429) {
      const ms = (error.retryAfterMs ?? DEFAULT_BACKOFF_MS) + Math.floor((now % 7) * 70)
      queue.rate = backOff(queue.rate, ms, now)
      queue.noteRefusal(clock.now())
      await this.#uncountAttempt(item)
      return { waitMs: ms }
    }
    if (error.code === 403) {
      await onGone(queue.chat, error.message)
      queue.pause()
      await this.#uncountAttempt(item)
      return { waitMs: null }
    }
    if (error.code === 401) {
      onUnauthorized()
      await this.#uncountAttempt(item)
      return { waitMs: 600_000 }
    }
    if (error.code === 0 || error.code >= 500) {
      queue.clearEphemeral()
      if (!error.isUnclear) await this.#uncountAttempt(item)
      queue.failures += 1
      return { waitMs: Math.min(FIRST_RETRY_MS * 2 ** (queue.failures - 1), RETRY_MAX_MS) }
    }
    onError(error)
    if (item) await this.#drop(queue, item, error.message)
    return { waitMs: 0 }
  }
}

function scopeOf({ chat }: ChatQueue): 'private' | 'group' {
  return chat > 0 ? 'private' : 'group'
}

function textOf(act: OutboxItem['act']): string {
  if (act.do === 'answer') return act.parts.map(plainOf).join('\n')
  if (act.do === 'file') return `${act.caption}\n${act.text}`
  if (act.do === 'close-topic' || act.do === 'name-topic' || act.do === 'remove-keyboard') return ''
  return act.do === 'download' ? act.caption : plainOf(act.html)
}
