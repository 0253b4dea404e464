import type { Clock } from '../clock/index.js'
import { newEvent } from '../events/index.js'
import type { EventStore } from '../store/index.js'
import { workerStream } from './worker-record.js'

/** A worker that asks in a loop must not fill the log. */
const RECORD_MS = 60_000
const NAME_MAX = 80

export interface RefusalsOptions {
  store: EventStore
  clock: Clock
  onError(error: unknown): void
}

/** Counts and records what workers asked for without the right to it. */
export class Refusals {
  /** Since the start of this server. */
  count = 0
  readonly #options: RefusalsOptions
  readonly #recorded = new Map<string, { at: number; since: number }>()

  constructor(options: RefusalsOptions) {
    this.#options = options
  }

  add(worker: string, what: string): void {
    const { store, clock, onError } = this.#options
    this.count++
    const now = clock.monotonic()
    const last = this.#recorded.get(worker)
    if (last && now - last.at < RECORD_MS) return void last.since++
    this.#recorded.set(worker, { at: now, since: 0 })
    const refused = newEvent('worker.refused', { what: what.slice(0, NAME_MAX), times: (last?.since ?? 0) + 1 })
    store.append(workerStream(worker), 'any', [refused]).catch(onError)
  }
}
