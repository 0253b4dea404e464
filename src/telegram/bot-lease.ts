import type { Clock, Timer } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import type { EventStore, Lease } from '../store/index.js'

interface BotLeaseOptions {
  store: EventStore
  clock: Clock
  /** The name of this process. */
  owner: string
  /** Whether the process that holds the lease has certainly ended. */
  isGone?(owner: string): boolean
  /** Another process holds the lease now. */
  onLost(): void
  onError(error: unknown): void
}

const LEASE_MS = 30_000

/** Only one process runs the bot: two pollers would take updates from each other. */
export class BotLease {
  readonly #options: BotLeaseOptions
  #lease: Lease | null = null
  #renewal: Timer | null = null
  #isStopped = false

  constructor(options: BotLeaseOptions) {
    this.#options = options
  }

  async acquire(): Promise<void> {
    if (this.#lease) return
    const { store, owner, isGone } = this.#options
    const lease = await store.acquireLease('telegram', owner, { ttlMs: LEASE_MS, ...(isGone && { isGone }) })
    if (!lease.isAcquired)
      throw new SignalboxError('E_BUSY', `another process runs the bot (${lease.by})`, {
        next: 'stop it first: signalbox serve --stop',
      })
    this.#lease = lease
    this.#renewLater(lease)
  }

  /** The lease is not renewed from now on. */
  stopRenewing(): void {
    this.#isStopped = true
    this.#renewal?.cancel()
  }

  async release(): Promise<void> {
    this.stopRenewing()
    if (this.#lease) await this.#options.store.releaseLease(this.#lease)
  }

  #renewLater(lease: Lease): void {
    const { store, clock, onLost, onError } = this.#options
    if (this.#isStopped) return
    this.#renewal = clock.setTimer(LEASE_MS / 3, () => {
      store.renewLease(lease, LEASE_MS).then(
        isOurs => {
          if (isOurs) return this.#renewLater(lease)
          onError(new SignalboxError('E_FENCED', 'another process runs the bot now'))
          onLost()
        },
        error => {
          // The store was away: whose lease it is now is known when it answers again.
          onError(error)
          this.#renewLater(lease)
        },
      )
    })
  }
}
