import type { Clock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'

/** A token bucket: `burst` at once, `perSecond` on average. */
class Bucket {
  #level: number
  #at: number

  constructor(
    readonly burst: number,
    readonly perSecond: number,
    now: number,
  ) {
    this.#level = burst
    this.#at = now
  }

  /** 0: allowed; otherwise the milliseconds to wait. */
  take(now: number): number {
    this.#level = Math.min(this.burst, this.#level + ((now - this.#at) / 1000) * this.perSecond)
    this.#at = now
    if (this.#level >= 1) {
      this.#level -= 1
      return 0
    }
    return Math.ceil(((1 - this.#level) / this.perSecond) * 1000)
  }

  isFull(now: number): boolean {
    return this.#level + ((now - this.#at) / 1000) * this.perSecond >= this.burst
  }
}

interface RateLimitOptions {
  what: string
  burst: number
  perSecond: number
}

/** Limits how often each key may do one kind of thing. */
export class RateLimit {
  readonly #buckets = new Map<string, Bucket>()
  readonly #clock: Clock
  readonly #options: RateLimitOptions

  constructor(clock: Clock, options: RateLimitOptions) {
    this.#clock = clock
    this.#options = options
  }

  /** @throws SignalboxError `E_RATE` with the time to wait. */
  take(key: string): void {
    const now = this.#clock.monotonic()
    const { what, burst, perSecond } = this.#options
    const bucket = this.#buckets.get(key) ?? new Bucket(burst, perSecond, now)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > 1_000) this.#sweep(now)
    const waitMs = bucket.take(now)
    if (waitMs === 0) return
    throw new SignalboxError('E_RATE', `too many ${what}; the limit is ${burst} at once`, {
      next: `try again in ${Math.max(1, Math.ceil(waitMs / 1000))} s`,
      details: { retryAfterMs: waitMs },
    })
  }

  #sweep(now: number): void {
    for (const [key, bucket] of this.#buckets) if (bucket.isFull(now)) this.#buckets.delete(key)
  }
}
