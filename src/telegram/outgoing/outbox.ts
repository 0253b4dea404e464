import type { Clock } from '../../clock/index.js'
import { delay, newId } from '../../clock/index.js'
import { newEvent } from '../../events/index.js'
import { type QueuedItem, telegramOutboxProjection } from '../../host/index.js'
import type { EventStore, StreamAppend, Subscription } from '../../store/index.js'
import { ApiProblem } from '../bot-api.js'
import type { Speaker } from './bot-sender.js'
import { ChatLane, type LaneStep } from './chat-queue.js'
import type { Purse } from './message-calls.js'
import type { Fleeting, Queued } from './outbox-item.js'
import {
  type CallKind,
  DEFAULT_PACE,
  freshPace,
  type PaceRules,
  type PaceState,
  sleep,
  spend,
  waitBefore,
} from './rate-limiter.js'
import { plainOf } from './split.js'

export interface OutboxOptions {
  store: EventStore
  clock: Clock
  speaker: Speaker
  /** How fast it may speak; the default keeps below what Telegram allows. */
  rules?: PaceRules
  /** A chat that cannot be reached any more: its person has gone, its sessions go on. */
  onGone(chat: number, reason: string): Promise<void>
  onUnauthorized(): void
  /** A group got another id: its people are checked again there. */
  onMoved(from: number, to: number): Promise<void>
  onError(error: unknown): void
}

/** Lane 2 and 3 older than this are given up; what they said is on the other surfaces. */
const OLDEST_MS = 24 * 3_600_000
const FIRST_RETRY_MS = 1000
const LONGEST_RETRY_MS = 60_000
const NO_FIELD_MS = 5000
/** How long a thing that waits for its next call takes to notice that the bot stops. */
const LOOK_MS = 500
/** More than so many words that wait in one chat become one file. */
const LONGEST_LANE = 200

/** What is to be said, in the store until it was: one worker a chat, in order of lanes, no faster than allowed. */
export class Outbox {
  readonly #options: OutboxOptions
  readonly #lanes = new Map<number, ChatLane>()
  #subscription: Subscription | null = null
  readonly #since: number
  #all: PaceState
  #isStopped = false

  constructor(options: OutboxOptions) {
    this.#options = options
    this.#since = options.clock.monotonic()
    this.#all = freshPace(this.#since)
  }

  async start(): Promise<void> {
    const { store, onError } = this.#options
    const after = await store.head()
    const waiting = await store.documents<QueuedItem>(telegramOutboxProjection.name)
    for (const { state } of waiting.sort((a, b) => a.state.position - b.state.position))
      this.#lane(state.chat).add(state)
    this.#subscription = store.subscribe({ after, types: ['telegram.queued'], onError }, events => {
      for (const { stream, data, at, position } of events) {
        const id = stream.slice(stream.lastIndexOf('/') + 1)
        this.#lane((data as unknown as QueuedItem).chat).add({
          ...(data as unknown as QueuedItem),
          id,
          at,
          position,
          attempts: 0,
        })
      }
    })
  }

  /** For a transaction of the caller's: when it is written, it is in the outbox. */
  queue(item: Queued): StreamAppend {
    const { chat, topic, lane, subject, act, notBefore } = item
    const data = {
      chat,
      lane,
      subject,
      act: { ...act },
      ...(topic !== undefined && { topic }),
      ...(notBefore !== undefined && { notBefore }),
    }
    return { stream: `telegram/item/${newId('tgi')}`, expected: 0, events: [newEvent('telegram.queued', data)] }
  }

  async say(items: readonly Queued[], others: readonly StreamAppend[] = []): Promise<void> {
    if (items.length + others.length === 0) return
    await this.#options.store.appendAll([...items.map(item => this.queue(item)), ...others])
    await this.#subscription?.poll()
  }

  /** Now or never; a newer one with the same key replaces it. */
  fleeting(chat: number, key: string, act: Fleeting): void {
    if (!this.#isStopped) this.#lane(chat).addFleeting(key, act)
  }

  dropFleeting(chat: number, key: string): void {
    this.#lanes.get(chat)?.dropFleeting(key)
  }

  /** Refused too often of late to go on streaming there. */
  isTired(chat: number, now: number): boolean {
    return this.#lanes.get(chat)?.isTired(now) ?? false
  }

  /** The answer to a press goes before everything, is tried once, and is forgotten when it is late. */
  async toast(id: string, text: string, isAlert: boolean): Promise<void> {
    await this.#options.speaker.toast(id, text, isAlert).catch(error => {
      // A query that is too old to be answered is no fault of anybody.
      if (!(error instanceof ApiProblem)) this.#options.onError(error)
    })
  }

  /** Resolves when nothing durable is waiting. */
  async settled(): Promise<void> {
    await this.#subscription?.poll()
    await Promise.all([...this.#lanes.values()].map(lane => lane.settled()))
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#subscription?.close()
    await Promise.all([...this.#lanes.values()].map(lane => lane.stop()))
  }

  #lane(chat: number): ChatLane {
    const known = this.#lanes.get(chat)
    if (known) return known
    const lane = new ChatLane({
      chat,
      pace: freshPace(this.#since),
      clock: this.#options.clock,
      step: lane => this.#step(lane),
      onError: this.#options.onError,
    })
    this.#lanes.set(chat, lane)
    return lane
  }

  /** One thing of one chat: says how long to wait before the next look. */
  async #step(lane: ChatLane): Promise<LaneStep> {
    const { speaker, clock } = this.#options
    const now = clock.now()
    const next = lane.next(now)
    if (!next) return { waitMs: lane.dueIn(now) }
    const kind: CallKind = await speaker.kindOf(lane.chat, next)
    const wait = this.#wait(lane, kind)
    if (wait > 0) return { waitMs: wait }
    if ('id' in next && (await this.#isOver(lane, next))) return { waitMs: 0 }
    const surplus = lane.surplus(LONGEST_LANE)
    if (surplus.length > 0) return this.#collapse(lane, surplus)
    this.#spend(lane, kind)
    const purse = this.#purse(lane, kind)
    try {
      if ('id' in next) await this.#send(lane, next, purse)
      else {
        lane.took(next)
        await speaker.flit(lane.chat, next.key, next.act, purse)
      }
      lane.failures = 0
      return { waitMs: 0 }
    } catch (error) {
      return await this.#failed(lane, 'id' in next ? next : null, error)
    }
  }

  #wait(lane: ChatLane, kind: CallKind): number {
    const { clock, rules = DEFAULT_PACE } = this.#options
    const now = clock.monotonic()
    return Math.max(
      waitBefore(lane.pace, kind, placeOf(lane), now, rules),
      waitBefore(this.#all, kind, 'all', now, rules),
    )
  }

  #spend(lane: ChatLane, kind: CallKind): void {
    const { clock, rules = DEFAULT_PACE } = this.#options
    const now = clock.monotonic()
    lane.pace = spend(lane.pace, kind, placeOf(lane), now, rules)
    this.#all = spend(this.#all, kind, 'all', now, rules)
  }

  /** One thing may take several calls: the first is paid for, each further one waits for its own turn. */
  #purse(lane: ChatLane, paid: CallKind): Purse {
    let isPaid = true
    return async kind => {
      if (isPaid && kind === paid) {
        isPaid = false
        return
      }
      for (let wait = this.#wait(lane, kind); wait > 0; wait = this.#wait(lane, kind)) {
        if (this.#isStopped) throw new ApiProblem('the bot stops', { code: 0 })
        await delay(this.#options.clock, Math.min(wait, LOOK_MS))
      }
      this.#spend(lane, kind)
    }
  }

  /** Nothing is lost: all of them, in their order, as one file. */
  async #collapse(lane: ChatLane, items: readonly QueuedItem[]): Promise<LaneStep> {
    const title = `${items.length} messages`
    const text = items.map(({ act }) => wordsOf(act as unknown as Queued['act'])).join('\n\n— — —\n\n')
    const file: Queued = {
      chat: lane.chat,
      lane: 2,
      subject: `collapsed ${items[0]!.id}`,
      act: { do: 'file', name: 'messages.txt', text, caption: title },
    }
    const dropped = items.map(({ id }): StreamAppend => {
      const events = [newEvent('telegram.dropped', { reason: `one of ${title} in a file` })]
      return { stream: `telegram/item/${id}`, expected: 'any', events }
    })
    await this.say([file], dropped)
    for (const item of items) lane.done(item)
    return { waitMs: 0 }
  }

  /** What a later item about the same card overtakes, and what is too old to matter. */
  async #isOver(lane: ChatLane, item: QueuedItem): Promise<boolean> {
    const reason = lane.isOvertaken(item)
      ? 'overtaken'
      : item.lane >= 2 && this.#options.clock.now() - item.at > OLDEST_MS
        ? 'too old'
        : (await this.#options.speaker.isPointless(item))
          ? 'over before it was shown'
          : null
    if (reason === null) return false
    await this.#drop(lane, item, reason)
    return true
  }

  async #send(lane: ChatLane, item: QueuedItem, purse: Purse): Promise<void> {
    const { store, speaker } = this.#options
    const stream = `telegram/item/${item.id}`
    const attempt = item.attempts + 1
    await store.append(stream, 'any', [newEvent('telegram.sending', { attempt })], { durability: 'normal' })
    const isAgain = item.attempts > 0
    item.attempts = attempt
    const { messages, shown } = await speaker.say(item, { isAgain, purse })
    await store.appendAll([{ stream, expected: 'any', events: [newEvent('telegram.sent', { messages })] }, ...shown])
    lane.done(item)
  }

  async #drop(lane: ChatLane, item: QueuedItem, reason: string): Promise<void> {
    await this.#options.store.append(`telegram/item/${item.id}`, 'any', [newEvent('telegram.dropped', { reason })])
    lane.done(item)
  }

  /** The same thing, said where the chat is now. */
  async #move(lane: ChatLane, item: QueuedItem | null, to: number): Promise<void> {
    await this.#options.onMoved(lane.chat, to)
    if (!item) return
    const { topic, lane: urgency, subject, act } = item
    const moved: Queued = {
      chat: to,
      lane: urgency as Queued['lane'],
      subject,
      act: act as unknown as Queued['act'],
      ...(topic !== undefined && { topic }),
    }
    await this.say([moved])
    await this.#drop(lane, item, 'the chat has another id now')
  }

  /** The call was refused as a whole: said later, also by the next process, it is not said again. */
  async #neverBegun(item: QueuedItem | null): Promise<void> {
    if (!item || item.attempts === 0) return
    const refused = newEvent('telegram.sending', { attempt: item.attempts, isRefused: true })
    item.attempts -= 1
    await this.#options.store.append(`telegram/item/${item.id}`, 'any', [refused], { durability: 'normal' })
  }

  async #failed(lane: ChatLane, item: QueuedItem | null, error: unknown): Promise<LaneStep> {
    const { clock, onError, onGone, onUnauthorized } = this.#options
    if (!(error instanceof ApiProblem)) {
      onError(error)
      if (item) await this.#drop(lane, item, 'it could not be put into words')
      return { waitMs: 0 }
    }
    const now = clock.monotonic()
    if (error.movedTo !== null) {
      await this.#move(lane, item, error.movedTo)
      return { waitMs: 0 }
    }
    if (error.code === 429) {
      const ms = (error.retryAfterMs ?? NO_FIELD_MS) + Math.floor((now % 7) * 70)
      lane.pace = sleep(lane.pace, ms, now)
      lane.wasRefused(clock.now())
      await this.#neverBegun(item)
      return { waitMs: ms }
    }
    if (error.code === 403) {
      await onGone(lane.chat, error.message)
      lane.pause()
      await this.#neverBegun(item)
      return { waitMs: null }
    }
    if (error.code === 401) {
      onUnauthorized()
      await this.#neverBegun(item)
      return { waitMs: 600_000 }
    }
    if (error.code === 0 || error.code >= 500) {
      lane.forgetFleeting()
      if (!error.isUnclear) await this.#neverBegun(item)
      lane.failures += 1
      return { waitMs: Math.min(FIRST_RETRY_MS * 2 ** (lane.failures - 1), LONGEST_RETRY_MS) }
    }
    onError(error)
    if (item) await this.#drop(lane, item, error.message)
    return { waitMs: 0 }
  }
}

function placeOf({ chat }: ChatLane): 'private' | 'group' {
  return chat > 0 ? 'private' : 'group'
}

function wordsOf(act: Queued['act']): string {
  if (act.do === 'answer') return act.parts.map(plainOf).join('\n')
  if (act.do === 'file') return `${act.caption}\n${act.text}`
  if (act.do === 'close-topic' || act.do === 'name-topic') return ''
  return act.do === 'download' ? act.caption : plainOf(act.html)
}
