import type { Clock, Timer } from '../clock/index.js'
import {
  getRunIfKnown,
  isEnded,
  type Performer,
  type PlacedRun,
  type PlacementChoice,
  RunningSteps,
  type RunPlacer,
  type RunState,
  type RunSteps,
  type RunStepsOptions,
  runsOnWorker,
  runsOnWorkers,
  type Workflow,
} from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import { isBlobsAway } from '../store/blobs/index.js'
import { type EventStore, retryConflicts, type Subscription } from '../store/index.js'
import { plural } from '../text/index.js'
import { compareWorker } from './compare-worker.js'
import { ConnectedWorkers } from './connected-workers.js'
import type { LoggedItem, WorkerDifference } from './inventory.js'
import { PlacedSteps, type StepsHub } from './placed-steps.js'
import {
  HEARTBEAT_MS,
  type Report,
  type ServerAddress,
  WORKER_LEASE_MS,
  type WorkerHello,
  type WorkerMessage,
  type WorkspaceNeeds,
} from './protocol.js'
import { Refusals } from './refusals.js'
import {
  type ChannelListener,
  type ConnectionPort,
  type Heartbeat,
  type TerminalChannel,
  type WorkerCall,
  type WorkerChannel,
  WorkerConnection,
} from './worker-connection.js'
import { WorkerPlacer } from './worker-placer.js'
import { type WorkerRecord, workerStream } from './worker-record.js'
import { WorkerRegistry } from './worker-registry.js'

export interface WorkerHubOptions {
  store: EventStore
  clock: Clock
  /** A worker that is away longer than this is lost: its runs move. */
  lostAfterMs: number
  /** Where child runs go: to the worker of their parent, if it has room, or to any. */
  childPlacement: 'same' | 'spread'
  workflows: readonly Workflow<never>[]
  /** Perform effects that need no workspace. */
  performers: Readonly<Record<string, Performer>>
  /** Answers a call of a worker about one of its runs. */
  call(method: string, run: string, params: Record<string, unknown>, signal: AbortSignal): Promise<unknown>
  /** The sessions on workers. */
  sessions: WorkerSessionsPort
  /** How the worker makes the workspace of a run; null if it uses the directory of the server. */
  workspaceOf(run: RunState): Promise<WorkspaceNeeds | null>
  /** All servers of a shared store. If absent, this is the only one. */
  servers?: { self: string; addresses(): ServerAddress[]; onChange(listener: () => void): void }
  /** Something outside its journal has changed for the run. */
  wake(run: string): void
  /** Another server should drive it. */
  handOver?(run: string): void
  onError(error: unknown): void
}

/** What the hub needs of the part that has the sessions of workers. */
export interface WorkerSessionsPort {
  /** A worker keeps these terminals; returns those that are not running sessions of its own. */
  workerConnected(worker: string, sessions: readonly string[]): Promise<string[]>
  /** It is connected: what waits for it can be delivered. */
  ready(worker: string): void
  workerDisconnected(worker: string): void
  live(worker: string, session: string, update: Record<string, unknown>): void
  /**
   * Answers a call of a worker about one of its sessions.
   * @param aheadMs how far its times are ahead of the store's.
   */
  call(worker: string, call: WorkerCall, aheadMs: number): Promise<unknown>
  /** Its sessions are lost with it. */
  lost(worker: string, reason: string): Promise<void>
  /** This or another server has declared them lost. */
  forget(worker: string): void
  /** The sessions that run there, also while it is away. */
  sessionsOn(worker: string): string[]
  /** What the log says of these sessions, and of those that run on the worker. */
  logged(worker: string, sessions: readonly string[]): Promise<ReadonlyMap<string, LoggedItem>>
}

/** A lease that was renewed within this time was renewed by a heartbeat that another server got. */
const HEARTBEAT_OF_OTHERS_MS = HEARTBEAT_MS + 2_500
/** Calls that are not about a run. */
const SESSION_CALL = /^(store|ledger|session|blob)\./

/** A worker with what only this server knows. */
export interface WorkerView {
  record: WorkerRecord
  isConnected: boolean
  steps: number
  /** It has too little free disk space for further work. */
  isFull: boolean
  /** How far its clock is ahead of the store's. */
  clockOffsetMs: number
  runs: string[]
  /** The sessions that run there. */
  sessions: string[]
  /** Memory and processor time of its program, as it last said; null if it is not connected. */
  process: { memory: number; cpuS: number } | null
}

/** What a worker has, compared with the log. */
export interface WorkerComparison {
  worker: string
  /** Why it cannot be compared here; null if it was. */
  notCompared: string | null
  /** Sessions and steps that it has. */
  sessions: number
  steps: number
  differences: WorkerDifference[]
}

/**
 * Effects that the server performs itself: they need no workspace. `child_look` observes a child
 * run; the name is in the journals of runs.
 */
const SERVER_EFFECTS: ReadonlySet<string> = new Set([
  'graph.child_look',
  'graph.child_steer',
  'graph.child_stop',
  'graph.simulated',
])

/**
 * The server's side of all workers: places runs on them, tells them which steps are wanted,
 * records their reports, and notices when one is away or lost. A worker's lease in the store says
 * that it is alive; the store's clock judges it.
 */
export class WorkerHub implements RunPlacer, StepsHub, ConnectionPort {
  readonly registry: WorkerRegistry
  readonly #options: WorkerHubOptions
  readonly placer: WorkerPlacer
  readonly #connected: ConnectedWorkers
  readonly #runs = new Map<string, PlacedSteps>()
  /** The worker that each driven run was on: it stops when the run moves. */
  readonly #lastWorker = new Map<string, string>()
  /** Workers that another server reaches and this one does not, since the last sweep or longer. */
  readonly #unreachable = new Set<string>()
  readonly #atOtherServer = new Set<string>()
  readonly #startedAt: number
  readonly #refusals: Refusals
  #timer: Timer | null = null
  #subscription: Promise<Subscription> | null = null
  #isClosed = false

  constructor(options: WorkerHubOptions) {
    this.#options = options
    this.registry = new WorkerRegistry(options)
    this.#connected = new ConnectedWorkers({ ...options, registry: this.registry })
    this.placer = new WorkerPlacer({
      store: options.store,
      registry: this.registry,
      childPlacement: options.childPlacement,
      list: () => this.list(),
      isConnected: worker => this.isConnected(worker),
      wake: run => options.wake(run),
    })
    this.#startedAt = options.clock.monotonic()
    this.#refusals = new Refusals(options)
  }

  start(): void {
    this.#schedule()
    const { servers, store, onError } = this.#options
    this.#subscription = store.head().then(after =>
      store.subscribe({ after, types: ['worker.lost', 'worker.removed'], onError }, events => {
        for (const { stream } of events) this.#workerLost(stream.slice(workerStream('').length))
      }),
    )
    this.#subscription.catch(onError)
    servers?.onChange(() => {
      for (const { connection } of this.#connected.all())
        connection.send({ type: 'servers', servers: servers.addresses() })
    })
  }

  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
    void this.#subscription?.then(subscription => subscription.close()).catch(() => undefined)
    for (const { connection } of this.#connected.all()) connection.close('the server stops')
  }

  accept(channel: WorkerChannel): WorkerConnection {
    return new WorkerConnection(channel, this)
  }

  onError(error: unknown): void {
    this.#options.onError(error)
  }

  async list(): Promise<WorkerView[]> {
    const records = await this.registry.list()
    const ids = records.map(({ id }) => id)
    // One query for all: every run that is placed lists the workers.
    const byWorker = new Map<string | null, string[]>()
    for (const { id, worker } of await runsOnWorkers(this.#options.store, ids))
      byWorker.set(worker, [...(byWorker.get(worker) ?? []), id])
    return records.map(record => this.#viewOf(record, byWorker.get(record.id) ?? []))
  }

  async view(record: WorkerRecord): Promise<WorkerView> {
    const runs = await runsOnWorker(this.#options.store, record.id)
    const ids = runs.map(({ id }) => id)
    return this.#viewOf(record, ids)
  }

  #viewOf(record: WorkerRecord, runs: string[]): WorkerView {
    const connected = this.#connected.get(record.id)
    const sessions = this.#options.sessions.sessionsOn(record.id)
    return {
      record,
      isConnected: connected !== undefined,
      steps: connected?.steps ?? 0,
      isFull: connected?.isFull ?? false,
      clockOffsetMs: connected?.clockOffsetMs ?? 0,
      runs,
      sessions,
      process: connected?.process ?? null,
    }
  }

  /** What each worker has and the log does not, and the reverse: for people. Asks the workers. */
  async compare(): Promise<WorkerComparison[]> {
    const records = (await this.registry.list()).filter(({ state }) => state === 'ready' || state === 'away')
    return Promise.all(records.map(record => this.#compare(record)))
  }

  async #compare({ id, name }: WorkerRecord): Promise<WorkerComparison> {
    const { store, clock, workflows, sessions } = this.#options
    try {
      const compared = await compareWorker(id, {
        store,
        clock,
        workflows,
        ask: () => this.ask(id, 'worker.inventory', {}),
        sessionsOf: named => sessions.logged(id, named),
        isLocal: effect => SERVER_EFFECTS.has(effect),
      })
      return { worker: name, notCompared: null, ...compared }
    } catch (error) {
      const notCompared = this.isAtOtherServer(id)
        ? 'only another server is connected to it'
        : error instanceof SignalboxError && error.code === 'E_WORKER_AWAY'
          ? error.message
          : 'its program is of another version'
      return { worker: name, notCompared, sessions: 0, steps: 0, differences: [] }
    }
  }

  isConnected(worker: string): boolean {
    return this.#connected.get(worker) !== undefined
  }

  /**
   * Another server reaches the worker, and this one does not: it cannot send the worker the steps
   * of its runs, and gets no reports.
   */
  isAtOtherServer(worker: string): boolean {
    return this.#atOtherServer.has(worker) && !this.isConnected(worker)
  }

  /** Asks a worker. @throws SignalboxError `E_WORKER_AWAY` */
  async ask(worker: string, method: string, params: Record<string, unknown>): Promise<unknown> {
    return (await this.#connected.require(worker)).ask(method, params)
  }

  /** Opens a terminal of a session on a worker. @throws SignalboxError `E_WORKER_AWAY` */
  async openChannel(
    worker: string,
    about: Record<string, unknown>,
    listener: ChannelListener,
  ): Promise<TerminalChannel> {
    return (await this.#connected.require(worker)).openChannel(about, listener)
  }

  /** Its runs move at once. What it did since its last report may be done again. */
  async declareLost(worker: WorkerRecord, reason: string, by?: string): Promise<void> {
    const { store, wake } = this.#options
    const stream = workerStream(worker.id)
    // Of several servers that notice it at the same time, one ends its sessions.
    const isFirst = await retryConflicts(async () => {
      const version = await store.streamVersion(stream)
      if ((await this.registry.get(worker.id))?.state === 'lost') return false
      await store.append(stream, version, [newEvent('worker.lost', { reason, ...(by && { by }) })])
      return true
    })
    if (!isFirst) return
    this.#connected.get(worker.id)?.connection.close('the worker was declared lost')
    await this.#options.sessions.lost(worker.id, `worker ${worker.name} is lost`)
    for (const { id } of await runsOnWorker(store, worker.id)) wake(id)
  }

  /**
   * A worker was declared lost, or removed, perhaps by another server: the runs that this one
   * drives move.
   */
  #workerLost(worker: string): void {
    this.#options.sessions.forget(worker)
    for (const steps of this.#runs.values()) if (steps.worker === worker) this.#options.wake(steps.id)
  }

  /** @throws SignalboxError `E_STATE` if it has runs. */
  async remove(worker: WorkerRecord, by: string): Promise<void> {
    const runs = await runsOnWorker(this.#options.store, worker.id)
    if (runs.length > 0)
      throw new SignalboxError('E_STATE', `worker ${worker.name} has ${plural(runs.length, 'open run')}`, {
        next:
          worker.state === 'lost'
            ? 'what stays on a lost worker can be nowhere else: signalbox cancel <run> ends it'
            : `signalbox workers lost ${worker.name} moves what may be elsewhere`,
      })
    await this.registry.remove(worker, by)
    this.#connected.get(worker.id)?.connection.close('the worker was removed')
    await this.#options.sessions.lost(worker.id, `worker ${worker.name} was removed`)
  }

  // — placing runs —

  stepsFor(run: PlacedRun, options: RunStepsOptions): RunSteps {
    const { performers, workflows } = this.#options
    const local = new RunningSteps({ ...options, performers })
    const workflow = () => workflows.find(({ kind }) => kind === run.state()?.kind) as unknown as Workflow
    return new PlacedSteps(this, run, { ...options, workflow, local, isLocal: effect => SERVER_EFFECTS.has(effect) })
  }

  place(run: RunState): Promise<PlacementChoice> {
    return this.placer.place(run)
  }

  // — what is wanted —

  changed(steps: PlacedSteps): void {
    this.#runs.set(steps.id, steps)
    const { worker } = steps
    const before = this.#lastWorker.get(steps.id)
    if (worker !== null) this.#lastWorker.set(steps.id, worker)
    if (before !== undefined && before !== worker) this.#forget(before, steps.id)
    const connected = worker === null ? undefined : this.#connected.get(worker)
    connected?.connection.send({ type: 'wanted', run: steps.id, term: steps.term, steps: steps.wanted })
  }

  released(steps: PlacedSteps, { isStopped }: { isStopped: boolean }): void {
    if (this.#runs.get(steps.id) === steps) {
      this.#runs.delete(steps.id)
      this.#lastWorker.delete(steps.id)
    }
    const { worker } = steps
    if (isStopped && worker !== null) this.#forget(worker, steps.id)
  }

  refused({ worker }: PlacedSteps, type: string): void {
    if (worker !== null) this.#refusals.add(worker, `report ${type}`)
  }

  /** The worker may drop everything that it has of the run. */
  #forget(worker: string, run: string): void {
    this.#connected.get(worker)?.connection.send({ type: 'wanted', run, term: null, steps: [] })
  }

  // — connections —

  async admit(connection: WorkerConnection, hello: WorkerHello): Promise<void> {
    const { store, wake } = this.#options
    await this.#connected.admit(connection, hello)
    for (const steps of this.#runs.values()) if (steps.worker === connection.worker) this.changed(steps)
    for (const run of hello.runs) await this.#reconcile(connection.worker, run)
    for (const run of await waitingRuns(store)) wake(run)
    if (hello.isDraining) await this.#connected.reportDrained(connection)
  }

  disconnected(connection: WorkerConnection): void {
    this.#connected.disconnected(connection)
  }

  heartbeat(connection: WorkerConnection, heartbeat: Heartbeat): Promise<void> {
    return this.#connected.heartbeat(connection, heartbeat)
  }

  /** A run that no server drives yet stays as it is: its driver will say what it wants. */
  async #reconcile(worker: string, run: string): Promise<void> {
    const steps = this.#runs.get(run)
    if (steps?.worker === worker) return
    const record = await getRunIfKnown(this.#options.store, run)
    const isHere = record && record.worker === worker && !isEnded(record.status) && record.status !== 'paused'
    if (!isHere) this.#forget(worker, run)
  }

  report(connection: WorkerConnection, { run, step, key, report }: Extract<WorkerMessage, { type: 'report' }>): void {
    const steps = this.#runs.get(run)
    if (steps?.worker !== connection.worker) return
    steps.applyReport(step, key, this.#onStoreTime(connection.worker, report))
    if (report.is === 'event') connection.send({ type: 'ack', key: `${run}/${key}`, seq: report.seq })
  }

  /** A worker whose clock is wrong still says in which order things happened, and how far apart. */
  #onStoreTime(worker: string, report: Report): Report {
    if (report.is !== 'event' || report.event.at === undefined) return report
    return { ...report, event: { ...report.event, at: report.event.at - this.#connected.aheadMs(worker) } }
  }

  live(connection: WorkerConnection, session: string, update: Record<string, unknown>): void {
    if (this.#connected.isCurrent(connection)) this.#options.sessions.live(connection.worker, session, update)
  }

  async call(connection: WorkerConnection, call: WorkerCall): Promise<unknown> {
    try {
      return await this.#answer(connection, call)
    } catch (error) {
      if (error instanceof SignalboxError && error.code === 'E_ROLE') this.#refusals.add(connection.worker, call.method)
      throw error
    }
  }

  /** Calls and reports of workers that they had no right to. */
  get refusedCalls(): number {
    return this.#refusals.count
  }

  async #answer(connection: WorkerConnection, call: WorkerCall): Promise<unknown> {
    const { method, params, signal } = call
    if (SESSION_CALL.test(method) && params.run === undefined)
      return this.#options.sessions.call(connection.worker, call, this.#connected.aheadMs(connection.worker))
    const { run, step, key } = params as Record<string, string>
    const record = typeof run === 'string' ? await getRunIfKnown(this.#options.store, run) : null
    if (record?.worker !== connection.worker)
      throw new SignalboxError('E_ROLE', 'a worker may only ask about runs that it has')
    if (method === 'step.needs') {
      const steps = this.#runs.get(run!)
      const needs = steps?.needs(step!, key!)
      const state = steps?.state
      if (!steps || !needs || !state) return null
      try {
        return { ...needs, workspace: await this.#options.workspaceOf(state) }
      } catch (error) {
        if (isBlobsAway(error)) steps.waitsForFiles(step!, key!, error.message)
        throw error
      }
    }
    return this.#options.call(method, run!, params, signal)
  }

  // — leases —

  #schedule(): void {
    if (this.#isClosed) return
    this.#timer = this.#options.clock.setTimer(HEARTBEAT_MS, () => {
      void this.sweep()
        .catch(this.#options.onError)
        .finally(() => this.#schedule())
    })
  }

  /** Notices workers whose lease has ended. Called by a timer, and by tests. */
  async sweep(): Promise<void> {
    const { store, clock, lostAfterMs } = this.#options
    const now = await store.now()
    // After a start of this server, workers need time to reconnect.
    const hasJustStarted = clock.monotonic() - this.#startedAt < WORKER_LEASE_MS
    this.#connected.closeSilent()
    const reached = new Set<string>()
    for (const record of await this.registry.list()) {
      if (this.isConnected(record.id) || record.state === 'lost' || record.state === 'joined') continue
      const until = (await store.leaseHolder(workerStream(record.id)))?.until ?? record.changedAt
      if (until > now) {
        // Only a heartbeat at another server can have renewed it so late.
        if (until - WORKER_LEASE_MS > now - HEARTBEAT_OF_OTHERS_MS) reached.add(record.id)
        continue
      }
      if (record.state === 'ready')
        await store.append(workerStream(record.id), 'any', [newEvent('worker.away', { since: until })])
      if (!hasJustStarted && now - until > lostAfterMs)
        await this.declareLost(record, `no heartbeat for ${Math.round(lostAfterMs / 1000)} s`)
    }
    this.#handOverUnreachable(reached)
  }

  /** A worker that only reconnects is back before the second sweep. */
  #handOverUnreachable(reached: ReadonlySet<string>): void {
    const { servers, handOver } = this.#options
    if (!servers) return
    this.#atOtherServer.clear()
    for (const worker of reached) if (this.#unreachable.has(worker)) this.#atOtherServer.add(worker)
    this.#unreachable.clear()
    for (const worker of reached) this.#unreachable.add(worker)
    for (const { id, worker } of this.#runs.values())
      if (worker !== null && this.isAtOtherServer(worker)) handOver?.(id)
  }
}

async function waitingRuns(store: EventStore): Promise<string[]> {
  const documents = await store.documents<{ id: string; placement: unknown; status: string }>('runs', {
    where: { status: ['queued', 'waiting'] },
  })
  return documents.flatMap(({ state }) => (state.placement ? [state.id] : []))
}
