import type { Clock } from '../../clock/index.js'
import { Refusal } from './refusal.js'

type ApiUpdate = { update_id: number } & Record<string, unknown>

const POLL_MAX_S = 50
const UPDATES_MAX = 100
/** The server sends a 409 to a displaced poller at most this often. */
const CONFLICT_EVERY_MS = 3000

/** The bot's updates: kept until an offset confirms them, for one poll at a time. */
export class Updates {
  readonly #clock: Clock
  #queue: ApiUpdate[] = []
  #nextId = 1000
  #poll: { end(result: ApiUpdate[] | Refusal): void } | null = null
  #lastConflict = Number.NEGATIVE_INFINITY
  #allowed: readonly string[] | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get waiting(): readonly ApiUpdate[] {
    return this.#queue
  }

  /** For tests also the same update again, or a jump of the ids. */
  push(update: Record<string, unknown>, id = this.#nextId): ApiUpdate {
    const kept = { update_id: id, ...update }
    this.#nextId = Math.max(this.#nextId, id + 1)
    this.#queue.push(kept)
    this.#serve()
    return kept
  }

  /** Delivers the waiting updates in another order; their numbers keep the original one. */
  reorder(order: (waiting: readonly ApiUpdate[]) => ApiUpdate[]): void {
    this.#queue = order(this.#queue)
  }

  jumpTo(id: number): void {
    this.#nextId = id
  }

  async get(fields: Readonly<Record<string, unknown>>): Promise<ApiUpdate[]> {
    const offset = Number(fields.offset ?? 0)
    const timeout = Math.min(Number(fields.timeout ?? 0), POLL_MAX_S)
    if (Array.isArray(fields.allowed_updates)) this.#allowed = fields.allowed_updates.map(String)
    this.#displace()
    if (offset < 0) this.#queue = this.#queue.slice(offset)
    else if (offset > 0) this.#queue = this.#queue.filter(({ update_id }) => update_id >= offset)
    const limit = Math.min(Number(fields.limit ?? UPDATES_MAX), UPDATES_MAX)
    const ready = this.#ready(limit)
    if (ready.length > 0 || timeout === 0) return ready
    return new Promise((resolve, reject) => {
      const timer = this.#clock.setTimer(timeout * 1000, () => poll.end([]))
      const poll = {
        end: (result: ApiUpdate[] | Refusal) => {
          timer.cancel()
          if (this.#poll === poll) this.#poll = null
          if (result instanceof Refusal) reject(result)
          else resolve(result.length > 0 ? result : this.#ready(limit))
        },
      }
      this.#poll = poll
    })
  }

  /** A newer request ends the older one. */
  #displace(): void {
    const older = this.#poll
    if (!older) return
    const now = this.#clock.now()
    const isDue = now - this.#lastConflict >= CONFLICT_EVERY_MS
    if (isDue) this.#lastConflict = now
    const text = 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running'
    older.end(isDue ? new Refusal(409, text) : [])
  }

  /** Ends a waiting poll, for example because the server stops. */
  endPoll(): void {
    this.#poll?.end([])
  }

  #serve(): void {
    const ready = this.#ready(UPDATES_MAX)
    if (ready.length > 0) this.#poll?.end(ready)
  }

  #ready(limit: number): ApiUpdate[] {
    return this.#queue.filter(update => this.#isAllowed(update)).slice(0, limit)
  }

  #isAllowed(update: ApiUpdate): boolean {
    return this.#allowed === null || this.#allowed.some(kind => kind in update)
  }
}
