import type { Clock, Timer } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import type { EventStore, Lease } from '../store/index.js'

export interface BotLeaseOptions {
  store: EventStore
  clock: Clock
  /** Names this process to the others. */
  owner: string
  /** Whether the process that holds the lease has certainly ended. */
  isGone?(owner: string): boolean
  /** Another process has it now. */
  onLost(): void
  onError(error: unknown): void
}

const LEASE_MS = 30_000

/** One process runs the bot: two that ask Telegram for news at once take it from each other. */
export class BotLease {
  readonly #options: BotLeaseOptions
  #lease: Lease | null = null
  #renewal: Timer | null = null

  constructor(options: BotLeaseOptions) {
    this.#options = options
  }

  async take(): Promise<void> {
    if (this.#lease) return
    const { store, owner, isGone } = this.#options
    const lease = await store.acquireLease('telegram', owner, { ttlMs: LEASE_MS, ...(isGone && { isGone }) })
    if (lease.isHeld)
      throw new SignalboxError('E_BUSY', `another process runs the bot (${lease.by})`, {
        next: 'stop it first: signalbox serve --stop',
      })
    this.#lease = lease
    this.#renewLater(lease)
  }

  /** It is not renewed from now on; others get it once it was released. */
  rest(): void {
    this.#renewal?.cancel()
  }

  async release(): Promise<void> {
    this.rest()
    if (this.#lease) await this.#options.store.releaseLease(this.#lease)
  }

  #renewLater(lease: Lease): void {
    const { store, clock, onLost, onError } = this.#options
    this.#renewal = clock.setTimer(LEASE_MS / 3, () => {
      store.renewLease(lease, LEASE_MS).then(isOurs => {
        if (isOurs) return this.#renewLater(lease)
        onError(new SignalboxError('E_FENCED', 'another process runs the bot now'))
        onLost()
      }, onError)
    })
  }
}
