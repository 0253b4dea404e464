import type { Clock, Timer } from '../../clock/index.js'
import type { QueuedItem } from '../../host/index.js'
import type { Act, Fleeting } from './outbox-item.js'
import { editPace, type PaceState } from './rate-limiter.js'

/** Null: nothing to do until something comes. */
export interface LaneStep {
  waitMs: number | null
}

export interface FleetingItem {
  key: string
  act: Fleeting
}

const REFUSALS_TO_GIVE_UP = 3
const REFUSALS_WITHIN_MS = 10 * 60_000

/** What waits in one chat, and the one worker that sends it. */
export class ChatLane {
  readonly chat: number
  pace: PaceState
  failures = 0
  readonly #clock: Clock
  readonly #step: (lane: ChatLane) => Promise<LaneStep>
  readonly #onError: (error: unknown) => void
  readonly #items: QueuedItem[] = []
  readonly #fleeting = new Map<string, Fleeting>()
  /** When a growing message may be edited next. */
  readonly #growsAt = new Map<string, number>()
  readonly #refusals: number[] = []
  readonly #idle = new Set<() => void>()
  #timer: Timer | null = null
  #isRunning = false
  #isPaused = false
  #isStopped = false
  #isWoken = false

  constructor(options: {
    chat: number
    pace: PaceState
    clock: Clock
    step(lane: ChatLane): Promise<LaneStep>
    onError(error: unknown): void
  }) {
    this.chat = options.chat
    this.pace = options.pace
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

  addFleeting(key: string, act: Fleeting): void {
    this.#fleeting.set(key, act)
    this.#wake()
  }

  dropFleeting(key: string): void {
    this.#fleeting.delete(key)
  }

  forgetFleeting(): void {
    this.#fleeting.clear()
  }

  /** The most pressing thing: lanes in order, each in order of arrival; what is fleeting last. */
  next(now: number): QueuedItem | FleetingItem | null {
    if (this.#isPaused) return null
    for (const lane of [1, 2, 3]) {
      // What was put off and is overtaken by now need not wait: it is dropped.
      const item = this.#items.find(
        candidate => candidate.lane === lane && ((candidate.notBefore ?? 0) <= now || this.isOvertaken(candidate)),
      )
      if (item) return item
    }
    for (const [key, act] of this.#fleeting)
      if ((this.#growsAt.get(key) ?? 0) <= this.#clock.monotonic()) return { key, act }
    return null
  }

  /** How long until something that was put off is due; null when there is nothing. */
  dueIn(now: number): number | null {
    if (this.#isPaused) return null
    const monotonic = this.#clock.monotonic()
    const waits = [
      ...this.#items.flatMap(({ notBefore }) => (notBefore === undefined ? [] : [notBefore - now])),
      ...[...this.#fleeting.keys()].map(key => (this.#growsAt.get(key) ?? 0) - monotonic),
    ]
    return waits.length === 0 ? null : Math.max(1, Math.ceil(Math.min(...waits)))
  }

  /** A later word about the same card makes this one needless. */
  isOvertaken(item: QueuedItem): boolean {
    const kind = (item.act as Act).do
    if (kind !== 'card' && kind !== 'name-topic') return false
    const after = this.#items.slice(this.#items.indexOf(item) + 1)
    return after.some(({ subject, act }) => subject === item.subject && (act as Act).do === kind)
  }

  /** Words that have not been begun, when there are more of them than anybody would read one by one. */
  surplus(most: number): QueuedItem[] {
    const words = this.#items.filter(({ lane, attempts }) => lane >= 2 && attempts === 0)
    return words.length > most ? words : []
  }

  took({ key, act }: FleetingItem): void {
    this.#fleeting.delete(key)
    if (act.do !== 'grow') return
    const now = this.#clock.monotonic()
    for (const [other, at] of this.#growsAt) if (at <= now) this.#growsAt.delete(other)
    this.#growsAt.set(key, now + editPace(this.chat, act.html.length))
  }

  done(item: QueuedItem): void {
    const index = this.#items.findIndex(({ id }) => id === item.id)
    if (index >= 0) this.#items.splice(index, 1)
  }

  /** Nobody can be reached here: wait for the next thing that somebody wants said. */
  pause(): void {
    this.#isPaused = true
    this.#fleeting.clear()
  }

  wasRefused(now: number): void {
    this.#refusals.push(now)
    if (this.#refusals.length > REFUSALS_TO_GIVE_UP) this.#refusals.shift()
  }

  /** Refused too often of late to go on streaming. */
  isTired(now: number): boolean {
    const [oldest] = this.#refusals
    return this.#refusals.length >= REFUSALS_TO_GIVE_UP && oldest !== undefined && now - oldest < REFUSALS_WITHIN_MS
  }

  settled(): Promise<void> {
    if (this.#isAtRest) return Promise.resolve()
    return new Promise(resolve => this.#idle.add(resolve))
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    while (this.#isRunning) await new Promise<void>(resolve => this.#idle.add(resolve))
  }

  /** Nothing waits that could be said now. */
  get #isAtRest(): boolean {
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
    // What comes together is looked at together.
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
      if (this.#isAtRest || this.#isStopped) {
        for (const resolve of [...this.#idle]) resolve()
        this.#idle.clear()
      }
    }
  }
}
