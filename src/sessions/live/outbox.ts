import { type Clock, newId, type Timer } from '../../clock/index.js'
import { isEvent, newEvent } from '../../events/index.js'
import type { EventStore } from '../../store/index.js'

/** One call of a sink that must arrive and has not. */
export interface OutboxEntry {
  delivery: string
  sink: string
  session: string
  call: 'close' | 'ask' | 'settle' | 'notice'
  body: Record<string, unknown>
  /** Wall milliseconds of the first attempt. */
  since: number
  attempts: number
}

export interface OutboxOptions {
  store: EventStore
  clock: Clock
  sink: string
  /** Tries once more. Rejects while it does not arrive. */
  deliver(entry: OutboxEntry): Promise<void>
  onError(error: unknown): void
}

const BACK_OFF_S = [1, 2, 5, 10, 30]
const LATER_S = 60
const GIVE_UP_MS = 24 * 3_600_000

/**
 * What a sink could not take yet. It is in the log, so a restart loses nothing; it goes out in its order, one at a time, ever more
 * patiently, and after a day it is given up, which is in the log as well.
 */
export class Outbox {
  readonly #options: OutboxOptions
  #entries: OutboxEntry[] = []
  #timer: Timer | null = null
  #isStopped = false

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  /** Takes up what an earlier host left. */
  async open(): Promise<void> {
    const waiting = new Map<string, OutboxEntry>()
    for (const event of await this.#options.store.readStream(this.#stream)) {
      if (isEvent(event, 'delivery.deferred')) {
        const { problem: _, ...entry } = event.data
        waiting.set(entry.delivery, { ...entry, since: event.at, attempts: 1 })
      } else if (isEvent(event, 'delivery.arrived') || isEvent(event, 'delivery.abandoned'))
        waiting.delete(event.data.delivery)
    }
    this.#entries = [...waiting.values()]
    this.#schedule()
  }

  get waiting(): readonly OutboxEntry[] {
    return this.#entries
  }

  /** Keeps a call that failed, and tries it again later. */
  async defer(call: Pick<OutboxEntry, 'session' | 'call' | 'body'>, problem: string): Promise<void> {
    const { store, clock, sink } = this.#options
    const entry = { delivery: newId('msg'), sink, ...call, since: clock.now(), attempts: 1 }
    const { since: _, attempts: __, ...kept } = entry
    this.#entries.push(entry)
    await store.append(this.#stream, 'any', [newEvent('delivery.deferred', { ...kept, problem })])
    this.#schedule()
  }

  /** Nobody is there to take anything any more. */
  async abandonAll(reason: string): Promise<void> {
    const entries = this.#entries
    this.#entries = []
    this.#timer?.cancel()
    this.#timer = null
    for (const { delivery } of entries)
      await this.#options.store.append(this.#stream, 'any', [newEvent('delivery.abandoned', { delivery, reason })])
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }

  get #stream(): string {
    return `outbox/${this.#options.sink}`
  }

  #schedule(): void {
    const [first] = this.#entries
    if (!first || this.#timer || this.#isStopped) return
    const waitS = BACK_OFF_S[first.attempts - 1] ?? LATER_S
    this.#timer = this.#options.clock.setTimer(waitS * 1000, () => {
      void this.#tryFirst(first)
        .catch(this.#options.onError)
        .then(() => {
          this.#timer = null
          this.#schedule()
        })
    })
  }

  async #tryFirst(entry: OutboxEntry): Promise<void> {
    const { clock, deliver, store } = this.#options
    const { delivery } = entry
    entry.attempts++
    const problem = await deliver(entry).then(
      () => null,
      error => error,
    )
    if (problem !== null && clock.now() - entry.since < GIVE_UP_MS) return
    this.#entries = this.#entries.filter(other => other !== entry)
    const outcome =
      problem === null
        ? newEvent('delivery.arrived', { delivery, attempts: entry.attempts })
        : newEvent('delivery.abandoned', { delivery, reason: String((problem as Error).message ?? problem) })
    await store.append(this.#stream, 'any', [outcome])
  }
}
