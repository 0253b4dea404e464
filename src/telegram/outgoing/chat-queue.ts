import type { Clock, Timer } from '../../clock/index.js'
import type { QueuedItem } from '../../host/index.js'
import type { EphemeralAction, OutboxAction } from './outbox-item.js'
import { editIntervalMs, type RateState } from './rate-limiter.js'

export interface QueueStep {
  /** How long until the next step; null: until something is added. */
  waitMs: number | null
}

export interface EphemeralItem {
  key: string
  act: EphemeralAction
}

const REFUSALS_TO_GIVE_UP = 3
const REFUSALS_WITHIN_MS = 10 * 60_000

/** What waits to be sent to one chat, and the one worker that sends it. */
export class ChatQueue {
  readonly chat: number
  rate: RateState
  failures = 0
  readonly #clock: Clock
  readonly #step: (queue: ChatQueue) => Promise<QueueStep>
  readonly #onError: (error: unknown) => void
  readonly #items: QueuedItem[] = []
  readonly #ephemeral = new Map<string, EphemeralAction>()
  /** When a growing message may be edited next. */
  readonly #editableAt = new Map<string, number>()
  readonly #refusals: number[] = []
  readonly #idle = new Set<() => void>()
  #timer: Timer | null = null
  #isRunning = false
  #isPaused = false
  #isStopped = false
  #isWoken = false

  constructor(options: {
    chat: number
    rate: RateState
    clock: Clock
    step(queue: ChatQueue): Promise<QueueStep>
    onError(error: unknown): void
  }) {
    this.chat = options.chat
    this.rate = options.rate
    this.#clock = options.clock
    this.#step = options.step
    this.#onError = options.onError
  }

  add(item: QueuedItem): void {
    if (this.#items.some(({ id }) => id === item.id)) return
    this.#items.push(item)
    this.#isPaused = false
    this.#wake()
  }

  addEphemeral(key: string, act: EphemeralAction): void {
    this.#ephemeral.set(key, act)
    this.#wake()
  }

  dropEphemeral(key: string): void {
    this.#ephemeral.delete(key)
  }

  clearEphemeral(): void {
    this.#ephemeral.clear()
  }

  /** The most urgent item: by lane, then by arrival; ephemeral ones last. */
  next(now: number): QueuedItem | EphemeralItem | null {
    if (this.#isPaused) return null
    for (const lane of [1, 2, 3]) {
      // A delayed item that a later one supersedes need not wait: it is dropped.
      const item = this.#items.find(
        candidate => candidate.lane === lane && ((candidate.notBefore ?? 0) <= now || this.isSuperseded(candidate)),
      )
      if (item) return item
    }
    for (const [key, act] of this.#ephemeral)
      if ((this.#editableAt.get(key) ?? 0) <= this.#clock.monotonic()) return { key, act }
    return null
  }

  /** How long until a delayed item is due; null when there is none. */
  dueIn(now: number): number | null {
    if (this.#isPaused) return null
    const monotonic = this.#clock.monotonic()
    const waits = [
      ...this.#items.flatMap(({ notBefore }) => (notBefore === undefined ? [] : [notBefore - now])),
      ...[...this.#ephemeral.keys()].map(key => (this.#editableAt.get(key) ?? 0) - monotonic),
    ]
    return waits.length === 0 ? null : Math.max(1, Math.ceil(Math.min(...waits)))
  }

  /** Whether a later item about the same card or topic makes this one unnecessary. */
  isSuperseded(item: QueuedItem): boolean {
    const kind = (item.act as OutboxAction).do
    if (kind !== 'card' && kind !== 'name-topic') return false
    const later = this.#items.slice(this.#items.indexOf(item) + 1)
    return later.some(({ subject, act }) => subject === item.subject && (act as OutboxAction).do === kind)
  }

  /** The messages that have not been started, when there are more than `most` of them. */
  surplus(most: number): QueuedItem[] {
    const messages = this.#items.filter(({ lane, attempts }) => lane >= 2 && attempts === 0)
    return messages.length > most ? messages : []
  }

  /** An ephemeral item is being sent. */
  ephemeralSending({ key, act }: EphemeralItem): void {
    this.#ephemeral.delete(key)
    if (act.do !== 'grow') return
    const now = this.#clock.monotonic()
    for (const [other, at] of this.#editableAt) if (at <= now) this.#editableAt.delete(other)
    this.#editableAt.set(key, now + editIntervalMs(this.chat, act.html.length))
  }

  done(item: QueuedItem): void {
    const index = this.#items.findIndex(({ id }) => id === item.id)
    if (index >= 0) this.#items.splice(index, 1)
  }

  /** The chat cannot be reached: wait for the next item. */
  pause(): void {
    this.#isPaused = true
    this.#ephemeral.clear()
  }

  /** The chat can be reached again. */
  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#wake()
  }

  noteRefusal(now: number): void {
    this.#refusals.push(now)
    if (this.#refusals.length > REFUSALS_TO_GIVE_UP) this.#refusals.shift()
  }

  /** Telegram refused too often recently to keep on streaming to this chat. */
  isThrottled(now: number): boolean {
    const [oldest] = this.#refusals
    return this.#refusals.length >= REFUSALS_TO_GIVE_UP && oldest !== undefined && now - oldest < REFUSALS_WITHIN_MS
  }

  settled(): Promise<void> {
    if (this.#isIdle) return Promise.resolve()
    return new Promise(resolve => this.#idle.add(resolve))
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    while (this.#isRunning) await new Promise<void>(resolve => this.#idle.add(resolve))
  }

  /** No item waits that could be sent now. */
  get #isIdle(): boolean {
    const now = this.#clock.now()
    return this.#isPaused || this.#items.every(({ notBefore }) => (notBefore ?? 0) > now)
  }

  #wake(): void {
    if (this.#isStopped) return
    this.#isWoken = true
    this.#timer?.cancel()
    this.#timer = null
    if (!this.#isRunning) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    // Items that are added together are ordered together.
    await null
    try {
      while (!this.#isStopped) {
        this.#isWoken = false
        const { waitMs } = await this.#step(this).catch(error => {
          this.#onError(error)
          return { waitMs: 1000 }
        })
        if (this.#isStopped) break
        if (waitMs === 0 || this.#isWoken) continue
        if (waitMs !== null) this.#timer = this.#clock.setTimer(waitMs, () => this.#wake())
        break
      }
    } finally {
      this.#isRunning = false
      if (this.#isIdle || this.#isStopped) {
        for (const resolve of [...this.#idle]) resolve()
        this.#idle.clear()
      }
    }
  }
}
