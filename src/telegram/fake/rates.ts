/** What a bot may send: Telegram publishes no limits, these are its FAQ's. */
export interface RateRules {
  privatePerS: number
  privateBurst: number
  groupPerMin: number
  allPerS: number
}

export const DEFAULT_RATES: RateRules = { privatePerS: 1, privateBurst: 5, groupPerMin: 20, allPerS: 30 }

interface Bucket {
  tokens: number
  at: number
}

/** Token buckets on the server's own clock. A call during a cool-down makes it longer. */
export class Rates {
  readonly #rules: RateRules
  readonly #buckets = new Map<string, Bucket>()
  readonly #cooling = new Map<string, { until: number; seconds: number }>()

  constructor(rules: RateRules) {
    this.#rules = rules
  }

  /** Seconds to wait, or 0 if the call was counted. Drafts cost half. */
  take(chat: { id: number; isPrivate: boolean }, kind: 'send' | 'edit' | 'draft', now: number): number {
    const key = chat.isPrivate ? `${chat.id}` : `${chat.id}:${kind}`
    const cooling = this.#cooling.get(key)
    if (cooling && now < cooling.until) {
      cooling.seconds = Math.min(cooling.seconds + 1, 60)
      cooling.until += 1000
      return Math.ceil((cooling.until - now) / 1000)
    }
    const cost = kind === 'draft' ? 0.5 : 1
    const own = chat.isPrivate
      ? this.#bucket(key, this.#rules.privateBurst, this.#rules.privatePerS, now)
      : this.#bucket(key, this.#rules.groupPerMin, this.#rules.groupPerMin / 60, now)
    const all = this.#bucket('all', this.#rules.allPerS, this.#rules.allPerS, now)
    if (own.tokens >= cost && all.tokens >= cost) {
      own.tokens -= cost
      all.tokens -= cost
      return 0
    }
    const perSecond = chat.isPrivate ? this.#rules.privatePerS : this.#rules.groupPerMin / 60
    const seconds = Math.max(1, Math.ceil((cost - own.tokens) / perSecond))
    this.#cooling.set(key, { until: now + seconds * 1000, seconds })
    return seconds
  }

  #bucket(key: string, capacity: number, perSecond: number, now: number): Bucket {
    const bucket = this.#buckets.get(key) ?? { tokens: capacity, at: now }
    bucket.tokens = Math.min(capacity, bucket.tokens + ((now - bucket.at) / 1000) * perSecond)
    bucket.at = now
    this.#buckets.set(key, bucket)
    return bucket
  }
}
