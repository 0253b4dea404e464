import { createHash } from 'node:crypto'
import { SignalboxError } from '../../errors/index.js'
import type { EventStore, Subscription } from '../../store/index.js'

const TRIES = 50
/** Events after which other servers may have changed who is logged in. */
const CHANGES = ['access.granted', 'access.revoked', 'access.shared', 'host.locked']
const PURGE_EVERY = 500

/**
 * Logins that the servers of a shared store keep in common: devices, tokens, login codes, failed
 * logins, used proofs. It is kept in snapshots and not in events: it contains secrets, and events
 * are shown to people.
 */
export class SharedLogins {
  readonly #store: EventStore
  #uses = 0

  constructor(store: EventStore) {
    this.#store = store
  }

  /** Calls back when another server may have changed something. */
  async follow(onChange: () => void, onError: (error: unknown) => void): Promise<Subscription> {
    return this.#store.subscribe({ after: await this.#store.head(), types: CHANGES, onError }, () => onChange())
  }

  async read<T>(name: string): Promise<T | null> {
    return ((await this.#store.loadSnapshot(`auth/${name}`))?.state as T | undefined) ?? null
  }

  /** Changes a value that other servers may change at the same time. */
  async change<T>(name: string, next: (value: T | null) => T): Promise<T> {
    const key = `auth/${name}`
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const found = await this.#store.loadSnapshot(key)
      const state = next((found?.state as T | undefined) ?? null)
      const version = (found?.version ?? 0) + 1
      if (await this.#store.replaceSnapshot(key, found?.version ?? null, { version, state })) return state
    }
    throw new SignalboxError('E_STORE_BUSY', `too many servers change ${name} at once`, { next: 'try again' })
  }

  /** True for the first use of a name; it is remembered until then. */
  async useOnce(kind: string, name: string, untilMs: number): Promise<boolean> {
    const key = `used/${kind}/${hashOf(name)}`
    const isFirst = await this.#store.replaceSnapshot(key, null, { version: untilMs, state: 0 })
    if (++this.#uses % PURGE_EVERY === 0) await this.#store.dropSnapshots(`used/${kind}/`, await this.#store.now())
    return isFirst
  }

  /** Keeps a secret that works once, until then; only its hash is stored. */
  async offer(kind: string, secret: string, state: unknown, untilMs: number): Promise<void> {
    await this.#store.saveSnapshot(`${kind}/${hashOf(secret)}`, { version: untilMs, state })
  }

  /** Returns the value stored under a secret to its first caller, before it expires; else null. */
  async redeem<T>(kind: string, secret: string): Promise<T | null> {
    const key = `${kind}/${hashOf(secret)}`
    const found = await this.#store.loadSnapshot(key)
    if (!found || found.version <= (await this.#store.now())) return null
    const isOurs = await this.#store.replaceSnapshot(key, found.version, { version: 0, state: null })
    return isOurs ? (found.state as T) : null
  }

  /** Ends all secrets of a kind. */
  async withdraw(kind: string): Promise<void> {
    await this.#store.dropSnapshots(`${kind}/`, Number.MAX_SAFE_INTEGER)
  }

  now(): Promise<number> {
    return this.#store.now()
  }
}

export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
