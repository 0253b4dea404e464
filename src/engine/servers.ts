import { createHash } from 'node:crypto'
import type { Clock, Timer } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import type { EventStore, Lease } from '../store/index.js'
import { type ServerRecord, serverStream, serversProjection } from './servers-projection.js'

/*
 * A server that sends no heartbeat for the time of its lease is gone: others take over its runs.
 * Shorter leases mean shorter gaps after a crash, and more takeovers from servers that only
 * paused; such a takeover costs one turn and does no harm: a lease of a run fences its former
 * driver.
 */
const LEASE_MS = 2_500
const HEARTBEAT_MS = 700
/**
 * A server whose connection to the store has ended is gone before its lease is, unless it connects
 * again within this time.
 */
const RECONNECT_MS = 400

export interface ServersOptions {
  store: EventStore
  clock: Clock
  /** The id of this server's home directory. */
  id: string
  engine: string
  version: string
  onError(error: unknown): void
}

interface SeenServer {
  epoch: number
  isAlive: boolean
  /** Its connection to the store was seen. */
  wasConnected: boolean
  /** Since when its connection is missing, by the steady clock. */
  missingSince: number | null
}

export interface LiveServer extends ServerRecord {
  isSelf: boolean
}

/**
 * The servers of a shared store: announces this one by a lease, and knows which others are alive.
 * All of them are judged by the store's clock.
 */
export class Servers {
  readonly #options: ServersOptions
  readonly #listeners = new Set<() => void>()
  /** The newest start of each server that was ever seen. */
  readonly #seen = new Map<string, SeenServer>()
  #live: LiveServer[] = []
  #lease: Lease | null = null
  #timer: Timer | null = null
  #isClosed = false

  constructor(options: ServersOptions) {
    this.#options = options
  }

  /**
   * Announces this server.
   * @throws SignalboxError `E_ENGINE_SINGLE`, `E_ENGINE_MIXED` if it cannot work beside the others.
   */
  async join(): Promise<void> {
    const { store, id, engine, version } = this.#options
    const key = serverStream(id)
    // A lock of the home directory guarantees that the former start of this server has ended.
    const former = await store.leaseHolder(key)
    if (former) await store.releaseLease({ key, epoch: former.epoch })
    const lease = await store.acquireLease(key, id, { ttlMs: LEASE_MS })
    if (!lease.isAcquired) throw new SignalboxError('E_DAEMON_RUNNING', 'another process is starting as this server')
    await store.append(key, 'any', [newEvent('server.started', { epoch: lease.epoch, engine, version })])
    this.#lease = lease
    await store.announce(this.owner)
    try {
      await this.refresh()
      this.#requireFit()
    } catch (error) {
      await store.releaseLease(lease)
      throw error
    }
    this.#schedule()
  }

  /** Workers connect to this address from now on, too. */
  async listening(address: string, pin: string | null): Promise<void> {
    const { store, id } = this.#options
    const data = { epoch: this.#lease!.epoch, address, ...(pin !== null && { pin }) }
    await store.append(serverStream(id), 'any', [newEvent('server.listening', data)])
    await this.refresh()
  }

  get id(): string {
    return this.#options.id
  }

  /** Names this start of the server as the owner of leases. */
  get owner(): string {
    if (!this.#lease) throw new Error('the server has not joined')
    return ownerOf(this.#options.id, this.#lease.epoch)
  }

  /** By id. */
  get live(): readonly LiveServer[] {
    return this.#live
  }

  /**
   * Whether an owner of leases is a server that is certainly gone; false for what is not a server.
   */
  isGone(owner: string): boolean {
    const [, id, epoch] = /^server\/(.+)#(\d+)$/.exec(owner) ?? []
    const seen = id === undefined ? undefined : this.#seen.get(id)
    if (!seen || Number(epoch) > seen.epoch) return false
    return Number(epoch) < seen.epoch || !seen.isAlive
  }

  /** Whether of all live servers it is this one's turn: the same answer on each of them. */
  prefers(run: string): boolean {
    const scored = this.#live.map(({ id, isSelf }) => ({ isSelf, score: scoreOf(id, run) }))
    const best = scored.sort((a, b) => (a.score < b.score ? -1 : 1))[0]
    return best?.isSelf ?? true
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    if (this.#lease) await this.#options.store.releaseLease(this.#lease)
  }

  /** Renews the lease of this server and reads those of the others. Called by a timer. */
  async heartbeat(): Promise<void> {
    const { store, onError } = this.#options
    const isOurs = await store.renewLease(this.#lease!, LEASE_MS)
    if (!isOurs) onError(new SignalboxError('E_STORE_ROLLED_BACK', 'this server has lost its lease'))
    await this.refresh()
  }

  async refresh(): Promise<void> {
    const { store, id } = this.#options
    const [now, holders, documents] = await Promise.all([
      store.now(),
      store.leaseHolders('server/'),
      store.documents<ServerRecord>(serversProjection.name),
    ])
    const leases = new Map(holders.map(({ key, epoch, until }) => [key.slice('server/'.length), { epoch, until }]))
    const connected = await store.connectedAmong([...leases].map(([server, { epoch }]) => ownerOf(server, epoch)))
    for (const [server, seen] of this.#seen) if (!leases.has(server)) seen.isAlive = false
    for (const [server, { epoch, until }] of leases) {
      const isConnected = connected?.has(ownerOf(server, epoch)) ?? null
      this.#seen.set(server, this.#judge(this.#seen.get(server), { epoch, isLeased: until > now, isConnected }))
    }
    const live = documents
      .filter(({ state: { id: server, epoch } }) => {
        const seen = this.#seen.get(server)
        return seen?.isAlive === true && seen.epoch === epoch
      })
      .map(({ state }) => ({ ...state, isSelf: state.id === id }))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
    const isChanged = nameOf(live) !== nameOf(this.#live)
    this.#live = live
    if (isChanged) for (const listener of this.#listeners) listener()
  }

  #judge(
    before: SeenServer | undefined,
    { epoch, isLeased, isConnected }: { epoch: number; isLeased: boolean; isConnected: boolean | null },
  ): SeenServer {
    const same = before?.epoch === epoch ? before : undefined
    const wasConnected = same?.wasConnected === true || isConnected === true
    // One that was never seen connected may be starting.
    const isMissing = isConnected === false && wasConnected
    const now = this.#options.clock.monotonic()
    const missingSince = isMissing ? (same?.missingSince ?? now) : null
    const isGone = missingSince !== null && now - missingSince >= RECONNECT_MS
    return { epoch, wasConnected, missingSince, isAlive: isLeased && !isGone }
  }

  #schedule(): void {
    if (this.#isClosed) return
    const isMissing = [...this.#seen.values()].some(({ isAlive, missingSince }) => isAlive && missingSince !== null)
    this.#timer = this.#options.clock.setTimer(isMissing ? RECONNECT_MS : HEARTBEAT_MS, () => {
      void this.heartbeat()
        .catch(this.#options.onError)
        .finally(() => this.#schedule())
    })
  }

  #requireFit(): void {
    const { engine } = this.#options
    const others = this.#live.filter(({ isSelf }) => !isSelf)
    const [other] = others
    if (!other) return
    if (engine === 'embedded')
      throw new SignalboxError(
        'E_ENGINE_SINGLE',
        'another server uses this store, and the engine "embedded" is for one',
        {
          next: `start it with --engine ${other.engine === 'embedded' ? 'store, the other one too' : other.engine}`,
        },
      )
    if (other.engine !== engine)
      throw new SignalboxError('E_ENGINE_MIXED', `the other server of this store uses the engine "${other.engine}"`, {
        next: 'all servers of a store use the same engine',
      })
  }
}

function ownerOf(server: string, epoch: number): string {
  return `server/${server}#${epoch}`
}

function nameOf(servers: readonly ServerRecord[]): string {
  return servers.map(({ id, epoch, address }) => `${id}#${epoch} ${address}`).join()
}

function scoreOf(server: string, run: string): string {
  return createHash('sha256').update(`${server} ${run}`).digest('hex')
}
