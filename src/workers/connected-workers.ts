import type { Clock } from '../clock/index.js'
import { runsOnWorker } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import type { EventStore, Lease } from '../store/index.js'
import { CLOCK_OFFSET_MAX_MS } from './placement.js'
import { HEARTBEAT_MS, type ServerAddress, WORKER_LEASE_MS, type WorkerHello } from './protocol.js'
import { workerAway } from './worker-away.js'
import type { Heartbeat, WorkerConnection } from './worker-connection.js'
import type { WorkerSessionsPort } from './worker-hub.js'
import { workerStream } from './worker-record.js'
import type { WorkerRegistry } from './worker-registry.js'

export interface ConnectedWorkersOptions {
  store: EventStore
  clock: Clock
  registry: WorkerRegistry
  lostAfterMs: number
  sessions: WorkerSessionsPort
  servers?: { self: string; addresses(): ServerAddress[] } | undefined
}

export interface Connected {
  connection: WorkerConnection
  lease: Lease
  steps: number
  isFull: boolean
  clockOffsetMs: number
  /** It waits for the end of what it has, and then ends. */
  isLeaving: boolean
  process: { memory: number; cpuS: number }
  /** When its last heartbeat arrived, by the steady clock. */
  heartbeatAt: number
}

/** A worker without a heartbeat for this long is disconnected. */
const SILENT_MS = 3 * HEARTBEAT_MS

/** The workers that are connected to this server, and the lease of each of them in the store. */
export class ConnectedWorkers {
  readonly #options: ConnectedWorkersOptions
  readonly #connected = new Map<string, Connected>()
  /** Starts of workers whose connection this server saw end. */
  readonly #closedBoots = new Set<string>()

  constructor(options: ConnectedWorkersOptions) {
    this.#options = options
  }

  get(worker: string): Connected | undefined {
    return this.#connected.get(worker)
  }

  all(): Connected[] {
    return [...this.#connected.values()]
  }

  /**
   * How far the times that a worker writes are ahead of the store's. A small difference is left: it
   * is mostly the time that its heartbeat took.
   */
  aheadMs(worker: string): number {
    const { clockOffsetMs = 0 } = this.#connected.get(worker) ?? {}
    return Math.abs(clockOffsetMs) > CLOCK_OFFSET_MAX_MS ? clockOffsetMs : 0
  }

  /** Whether this is the newest connection of its worker. */
  isCurrent(connection: WorkerConnection): boolean {
    return this.#connected.get(connection.worker)?.connection === connection
  }

  /** @throws SignalboxError `E_WORKER_AWAY` */
  async require(worker: string): Promise<WorkerConnection> {
    const connected = this.#connected.get(worker)
    if (connected) return connected.connection
    throw workerAway(
      await this.#options.registry.get(worker),
      await this.#options.store.leaseHolder(workerStream(worker)),
    )
  }

  /** Closes connections without heartbeats: a network can swallow messages without closing them. */
  closeSilent(): void {
    const now = this.#options.clock.monotonic()
    for (const { connection, heartbeatAt } of this.all())
      if (now - heartbeatAt > SILENT_MS) connection.close('no heartbeat for too long')
  }

  async admit(connection: WorkerConnection, hello: WorkerHello): Promise<void> {
    const { store, lostAfterMs } = this.#options
    const lease = await this.#acquire(connection.worker, hello.boot)
    const before = this.#connected.get(connection.worker)
    const { boot, version, maxSteps, maxSessions, agents, pool, labels } = hello
    const ended = await this.#options.sessions.workerConnected(connection.worker, hello.sessions)
    const clockOffsetMs = await this.#offsetOf(hello.clock)
    // The store may have been away for longer than the worker waited. Nothing closes it again.
    if (connection.isClosed) throw new SignalboxError('E_WORKER_AWAY', 'the connection to the worker broke')
    const heartbeatAt = this.#options.clock.monotonic()
    this.#connected.set(connection.worker, {
      connection,
      lease,
      steps: 0,
      isFull: false,
      clockOffsetMs,
      isLeaving: hello.isDraining ?? false,
      process: { memory: 0, cpuS: 0 },
      heartbeatAt,
    })
    before?.connection.close('replaced by a newer connection of the same start')
    const own = { ...(pool !== undefined && { pool }), ...(labels && { labels }) }
    const connected = newEvent('worker.connected', { boot, version, maxSteps, maxSessions, agents, ...own })
    await store.append(workerStream(connection.worker), 'any', [connected])
    if (hello.isDraining) await this.#drain(connection.worker)
    const { servers } = this.#options
    const group = servers && { server: servers.self, servers: servers.addresses() }
    connection.send({ type: 'welcome', worker: connection.worker, lostAfterMs, renews: true, ended, ...group })
    this.#options.sessions.ready(connection.worker)
  }

  /** The worker asked to be drained (`worker --drain`). */
  async #drain(worker: string): Promise<void> {
    const record = await this.#options.registry.get(worker)
    if (record && !record.isDraining) await this.#options.registry.drain(record, true, record.name)
  }

  /** Tells a worker that leaves when it has nothing left. */
  async reportDrained(connection: WorkerConnection): Promise<void> {
    const runs = await runsOnWorker(this.#options.store, connection.worker)
    const sessions = this.#options.sessions.sessionsOn(connection.worker)
    if (runs.length + sessions.length === 0) connection.send({ type: 'drained' })
  }

  /**
   * @throws SignalboxError `E_WORKER_TWICE` while another start of the same worker sends
   * heartbeats.
   */
  async #acquire(worker: string, boot: string): Promise<Lease> {
    const { store } = this.#options
    const key = workerStream(worker)
    const holder = await store.leaseHolder(key)
    if (holder && holder.until > (await store.now())) {
      // It is connected to several servers, and each of them renews the same lease.
      if (holder.by === boot) {
        const lease = { isAcquired: true as const, key, owner: boot, epoch: holder.epoch }
        if (await store.renewLease(lease, WORKER_LEASE_MS)) return lease
      }
      const heartbeatAgo = (await store.now()) - (holder.until - WORKER_LEASE_MS)
      const isGone = (!store.isShared && this.#closedBoots.has(holder.by)) || heartbeatAgo > 2 * HEARTBEAT_MS
      if (!isGone)
        throw new SignalboxError('E_WORKER_TWICE', 'another machine with the key of this worker is connected', {
          next: 'join with a new invitation on one of them',
        })
      await store.releaseLease({ key, epoch: holder.epoch })
    }
    const lease = await store.acquireLease(key, boot, { ttlMs: WORKER_LEASE_MS })
    if (!lease.isAcquired)
      throw new SignalboxError('E_WORKER_TWICE', 'another server is connecting this worker; it retries')
    return lease
  }

  /** How far a clock is ahead of the store's; an older worker does not say its time. */
  async #offsetOf(clock: number | undefined): Promise<number> {
    return clock === undefined ? 0 : Math.round(clock - (await this.#options.store.now()))
  }

  disconnected(connection: WorkerConnection): void {
    const connected = this.#connected.get(connection.worker)
    if (connected?.connection !== connection) return
    this.#connected.delete(connection.worker)
    this.#options.sessions.workerDisconnected(connection.worker)
    this.#closedBoots.add(connected.lease.owner)
  }

  async heartbeat(connection: WorkerConnection, heartbeat: Heartbeat): Promise<void> {
    const { steps, isFull, memory, cpuS, clock, sent } = heartbeat
    const connected = this.#connected.get(connection.worker)
    if (connected?.connection !== connection) return
    connected.steps = steps
    connected.isFull = isFull ?? false
    connected.process = { memory: memory ?? 0, cpuS: cpuS ?? 0 }
    connected.heartbeatAt = this.#options.clock.monotonic()
    connection.send({ type: 'beat' })
    connected.clockOffsetMs = await this.#offsetOf(clock)
    if (await this.#options.store.renewLease(connected.lease, WORKER_LEASE_MS)) {
      if (sent !== undefined) connection.send({ type: 'beat', renewed: sent })
      // Another server may have removed it.
      const record = await this.#options.registry.get(connection.worker)
      if (record?.state === 'removed') connection.close('the worker was removed')
      else if (connected.isLeaving) await this.reportDrained(connection)
      return
    }
    try {
      connected.lease = await this.#acquire(connection.worker, connected.lease.owner)
    } catch {
      connection.close('another start of this worker is connected')
    }
  }
}
