import { join } from 'node:path'
import type { Ledger } from '../../approvals/index.js'
import { type Clock, newId } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { SessionRecord } from '../../sessions/index.js'
import type { BlobStore } from '../../store/blobs/index.js'
import type { EventStore } from '../../store/index.js'
import type { PaneRegistry } from '../../supervision/index.js'
import type { LoggedItem, PlacementRequest, WorkerCall, WorkerHub, WorkerSessionsPort } from '../../workers/index.js'
import { isRunning } from '../find-session.js'
import type { LiveBus } from '../live-bus.js'
import type { StartRequest } from '../prepare-session.js'
import type { SessionBudgets } from '../session-budgets.js'
import type { SessionRecords } from '../session-records.js'
import { RemoteRecordings } from './remote-recordings.js'
import { RemoteSession, type RemoteSessionUpdate } from './remote-session.js'
import { SessionRights } from './session-rights.js'

/**
 * How long a command waits for a worker that was connected a moment ago: it comes back by itself.
 */
const RECONNECT_WAIT_MS = 8_000

export interface RemoteSessionsOptions {
  store: EventStore
  ledger: Ledger
  records: SessionRecords
  panes: PaneRegistry | null
  bus: LiveBus
  budgets: Pick<SessionBudgets, 'pauseOf'>
  dataDirectory: string
  clock: Clock
  onError(error: unknown): void
}

/** The part of the hub that sessions use. */
export type SessionHub = Pick<WorkerHub, 'ask' | 'openChannel' | 'isConnected' | 'placer' | 'registry'>

/** The sessions on workers: where they are, what is known of them, and how to reach them. */
export class RemoteSessions implements WorkerSessionsPort {
  readonly #options: RemoteSessionsOptions
  readonly #rights: SessionRights
  readonly #sessions = new Map<string, RemoteSession>()
  /** The worker of each running session, also while it is away. */
  readonly #owners = new Owners()
  /** Sessions that a worker was asked to start, until the log has them. */
  readonly #starting = new Map<string, string>()
  readonly #names = new Map<string, { name: string; awaySince: number | null }>()
  readonly #waiting = new Set<() => void>()
  #hub: SessionHub | null = null
  #blobs: BlobStore | null = null
  #recordings: RemoteRecordings | null = null

  constructor(options: RemoteSessionsOptions) {
    this.#options = options
    this.#rights = new SessionRights({
      ...options,
      blobs: () => this.#blobs!,
      isStarting: (worker, session) => this.#isStarting(worker, session),
    })
  }

  /** Reads which sessions workers have. Called once, before workers connect. */
  async connect(hub: SessionHub, blobs: BlobStore): Promise<void> {
    this.#hub = hub
    this.#blobs = blobs
    this.#recordings = new RemoteRecordings({
      directory: join(this.#options.dataDirectory, 'recordings', 'workers'),
      blobs,
      isConnected: worker => hub.isConnected(worker),
      ask: (worker, method, params) => hub.ask(worker, method, params),
      nameOf: record => this.whereIs(record)?.name ?? 'another machine',
    })
    const workers = new Map((await hub.registry.list()).map(record => [record.id, record]))
    for (const { id, name, changedAt } of workers.values()) this.#names.set(id, { name, awaySince: changedAt })
    for (const record of await this.#options.records.all())
      if (isRunning(record) && record.worker !== undefined && workers.has(record.worker))
        this.#owners.set(record.id, record.worker)
  }

  /** Null if it has ended, or its worker is away. */
  get(id: string): RemoteSession | null {
    return this.#sessions.get(id) ?? null
  }

  all(): RemoteSession[] {
    return [...this.#sessions.values()]
  }

  /** A worker has it, and it runs. */
  has(id: string): boolean {
    return this.#owners.has(id)
  }

  sessionsOn(worker: string): string[] {
    return this.#owners.sessionsOf(worker)
  }

  /** The name of the worker that has or had a session; null for a session of this machine. */
  whereIs({ worker }: SessionRecord): { name: string; awaySince: number | null } | null {
    return (worker !== undefined && this.#names.get(worker)) || null
  }

  /**
   * The session on its worker; null if it has ended, or none has it.
   * @throws SignalboxError `E_WORKER_AWAY`
   */
  async whenLive(id: string): Promise<RemoteSession | null> {
    const hub = this.#hub
    if (!hub) return null
    const worker = this.#owners.get(id) ?? (await this.#learnOwner(id))
    if (worker === undefined) return null
    const { clock } = this.#options
    const until = clock.monotonic() + ((await hub.registry.get(worker))?.state === 'ready' ? RECONNECT_WAIT_MS : 0)
    while (this.#owners.has(id)) {
      const found = this.#sessions.get(id)
      if (found) return found
      const left = until - clock.monotonic()
      // Says since when it is away.
      if (left <= 0) await hub.ask(worker, 'session.effects-done', { session: id })
      await this.#change(Math.max(left, 50))
    }
    return null
  }

  /**
   * Starts a session on a worker.
   * @throws SignalboxError `E_NO_WORKER` with the reason if none can take it now.
   */
  async start(request: StartRequest, placement: PlacementRequest): Promise<SessionRecord> {
    const hub = this.#hub
    if (!hub) throw new SignalboxError('E_STATE', 'this host has no workers', { next: 'signalbox serve' })
    const choice = await hub.placer.placeSession(placement, request.agent)
    if ('waits' in choice)
      throw new SignalboxError('E_NO_WORKER', choice.waits, { next: 'signalbox workers lists them' })
    const id = newId('ses')
    this.#starting.set(id, choice.worker)
    const { store } = this.#options
    // The worker may ask another server to record it.
    if (store.isShared) await store.saveSnapshot(startingKey(id), { version: 1, state: choice.worker })
    try {
      // The environment of the person's terminal belongs to another machine.
      await hub.ask(choice.worker, 'session.start', { session: id, request: { ...request, terminal: null } })
      this.#owners.set(id, choice.worker)
      return await this.#options.records.get(id)
    } finally {
      this.#starting.delete(id)
      if (store.isShared) await store.deleteSnapshot(startingKey(id))
    }
  }

  /**
   * The recording of a session on a worker, as a file of this machine.
   * @throws SignalboxError `E_WORKER_AWAY`
   */
  async recordingOf(record: SessionRecord): Promise<string> {
    if (this.#recordings && this.whereIs(record)) return this.#recordings.fetch(record)
    throw new SignalboxError('E_STATE', `the recording of session ${record.id} is on another machine`)
  }

  /** Asks the worker of a session for something that only its machine has. */
  async askFor(id: string, method: string, params: Record<string, unknown>): Promise<unknown> {
    const session = await this.whenLive(id)
    const worker = session?.worker ?? this.#owners.get(id)
    if (worker === undefined || !this.#hub)
      throw new SignalboxError('E_STATE', `session ${id} has ended, and its worker no longer answers for it`)
    return this.#hub.ask(worker, method, { session: id, ...params })
  }

  // — from the hub —

  async workerConnected(worker: string, sessions: readonly string[]): Promise<string[]> {
    const record = await this.#hub?.registry.get(worker)
    if (record) this.#names.set(worker, { name: record.name, awaySince: null })
    const ended: string[] = []
    const own = await this.#options.records.ofWorker(worker)
    const running = new Set(own.filter(isRunning).map(({ id }) => id))
    for (const id of sessions) {
      if (running.has(id)) this.#owners.set(id, worker)
      else if (!(await this.#isStarting(worker, id))) ended.push(id)
    }
    return ended
  }

  ready(worker: string): void {
    this.#wake()
    void this.#applyDecisions(worker).catch(this.#options.onError)
  }

  workerDisconnected(worker: string): void {
    const { clock, panes } = this.#options
    const name = this.#names.get(worker)?.name ?? worker
    this.#names.set(worker, { name, awaySince: clock.now() })
    for (const session of this.all()) {
      if (session.worker !== worker) continue
      this.#sessions.delete(session.id)
      session.wake()
      panes?.remoteAway(session.id, `worker ${name} is away`)
    }
  }

  live(worker: string, id: string, change: Record<string, unknown>): void {
    if (this.#owners.get(id) !== worker) return void this.#learn(worker, id, change).catch(this.#options.onError)
    const { bus, panes } = this.#options
    const { pane, isGone, update, ...rest } = change as RemoteSessionUpdate
    const session = this.#sessions.get(id) ?? this.#add(id, worker)
    session.applyUpdate({ ...rest, ...(update && { update }) })
    if (pane?.id === id) panes?.addRemote({ ...pane, worker: this.#names.get(worker)?.name ?? worker })
    if (update && update.session === id) bus.emit(update)
    if (isGone) this.#forget(id)
  }

  async call(worker: string, call: WorkerCall, aheadMs: number): Promise<unknown> {
    const result = await this.#rights.answer(worker, call, aheadMs)
    if (call.method === 'session.record') this.#owners.set(String(call.params.session), worker)
    return result
  }

  async lost(worker: string, reason: string): Promise<void> {
    const { records } = this.#options
    for (const record of (await records.ofWorker(worker)).filter(isRunning))
      await records.lose(record, { reason, cancels: 'worker lost' })
    this.forget(worker)
  }

  forget(worker: string): void {
    for (const session of this.#owners.sessionsOf(worker)) this.#forget(session)
  }

  async logged(worker: string, sessions: readonly string[]): Promise<ReadonlyMap<string, LoggedItem>> {
    const { records } = this.#options
    const found = new Map<string, LoggedItem>()
    const add = (record: SessionRecord) =>
      found.set(record.id, { worker: record.worker ?? null, isOpen: isRunning(record) })
    for (const record of await records.ofWorker(worker)) add(record)
    for (const id of sessions) {
      if (found.has(id)) continue
      const record = await records.getIfKnown(id)
      if (record) add(record)
      else if (await this.#isStarting(worker, id)) found.set(id, { worker, isOpen: true })
    }
    return found
  }

  // — inside —

  async #isStarting(worker: string, session: string): Promise<boolean> {
    const { store } = this.#options
    const known = this.#starting.get(session)
    if (known !== undefined || !store.isShared) return known === worker
    return (await store.loadSnapshot(startingKey(session)))?.state === worker
  }

  async #learn(worker: string, id: string, change: Record<string, unknown>): Promise<void> {
    if ((await this.#learnOwner(id)) === worker) this.live(worker, id, change)
  }

  /** Another server may have started the session: the log has its worker. */
  async #learnOwner(id: string): Promise<string | undefined> {
    const record = await this.#options.records.get(id).catch(() => null)
    if (record?.worker === undefined || !isRunning(record)) return undefined
    if (!(await this.#hub!.registry.get(record.worker))) return undefined
    this.#owners.set(id, record.worker)
    return record.worker
  }

  #add(id: string, worker: string): RemoteSession {
    const hub = this.#hub!
    const session = new RemoteSession(id, worker, {
      clock: this.#options.clock,
      pause: () => this.#options.budgets.pauseOf(id, { isHeld: false }),
      ask: (method, params) => hub.ask(worker, method, params),
      openChannel: (about, listener) => hub.openChannel(worker, about, listener),
    })
    this.#sessions.set(id, session)
    this.#wake()
    return session
  }

  #forget(id: string): void {
    const session = this.#sessions.get(id)
    this.#sessions.delete(id)
    this.#owners.delete(id)
    session?.wake()
    this.#options.panes?.removeRemote(id)
    this.#wake()
  }

  /** Decisions that were made while the worker was away, or whose delivery it did not finish. */
  async #applyDecisions(worker: string): Promise<void> {
    for (const record of await this.#options.ledger.list({ isOpenOnly: true })) {
      const { session } = record.subject
      if (record.state !== 'decided' || session === undefined || this.#owners.get(session) !== worker) continue
      void this.whenLive(session)
        .then(live => live?.apply(record))
        .catch(() => undefined)
    }
  }

  /** Resolves when a worker or a session has come or gone, or after `ms`. */
  #change(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = this.#options.clock.setTimer(ms, () => done())
      const done = () => {
        timer.cancel()
        this.#waiting.delete(done)
        resolve()
      }
      this.#waiting.add(done)
    })
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done()
  }
}

/** Which worker has a session, and the sessions of a worker. */
class Owners {
  readonly #workers = new Map<string, string>()
  readonly #sessions = new Map<string, Set<string>>()

  get(session: string): string | undefined {
    return this.#workers.get(session)
  }

  has(session: string): boolean {
    return this.#workers.has(session)
  }

  sessionsOf(worker: string): string[] {
    return [...(this.#sessions.get(worker) ?? [])]
  }

  set(session: string, worker: string): void {
    this.delete(session)
    this.#workers.set(session, worker)
    const own = this.#sessions.get(worker) ?? new Set()
    this.#sessions.set(worker, own.add(session))
  }

  delete(session: string): void {
    const worker = this.#workers.get(session)
    this.#workers.delete(session)
    if (worker !== undefined) this.#sessions.get(worker)?.delete(session)
  }
}

function startingKey(session: string): string {
  return `starting/${session}`
}
