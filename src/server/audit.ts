import type { Clock } from '../clock/index.js'
import { type EventData, type EventType, newEvent } from '../events/index.js'
import type { EventStore } from '../store/index.js'
import type { Metrics } from './metrics.js'

const LINES_PER_MINUTE = 10

/** Stores an event for every login and change of access, and counts refused requests. */
export class Audit {
  readonly #options: { store: EventStore; clock: Clock; metrics: Metrics; log(line: string): void }
  #minute = 0
  #lines = 0

  constructor(options: { store: EventStore; clock: Clock; metrics: Metrics; log(line: string): void }) {
    this.#options = options
  }

  async write<T extends EventType>(type: T, data: EventData<T>): Promise<void> {
    await this.#options.store.append('host', 'any', [newEvent(type, data)])
  }

  /**
   * Every caller can send requests that are refused: each is counted, a few are logged, none is
   * stored.
   */
  refused(code: string, what: string): void {
    const { metrics, clock, log } = this.#options
    metrics.count('signalbox_refusals_total', { code })
    const minute = Math.floor(clock.now() / 60_000)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#lines = 0
    }
    if (this.#lines++ < LINES_PER_MINUTE) log(`refused: ${code} ${what}`)
  }
}
