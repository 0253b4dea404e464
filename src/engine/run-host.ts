import type { Clock, Timer } from '../clock/index.js'
import { errorAbout } from '../errors/index.js'
import type { EventStore, Lease, Subscription } from '../store/index.js'
import { childrenOf, getRun } from './control.js'
import { type DriveEnd, Driver } from './drive.js'
import type { RunEngine, TurnResult } from './run-engine.js'
import { isEnded } from './run-status-table.js'
import type { RunPlacer } from './run-steps.js'
import type { RunRecord } from './runs-projection.js'
import { LEASE_MS, StoreEngine, type StoreEngineOptions, WAKING_EVENTS } from './store-engine.js'
import { nextTurnAt } from './turn.js'
import type { GateLedger, Performer, Workflow } from './workflow.js'

export interface RunHostOptions {
  store: EventStore
  clock: Clock
  /** Names this process so that other processes can check whether it is still alive. */
  owner: string
  /** Whether the process with this name is certainly dead. */
  isGone(owner: string): boolean
  workflows: readonly Workflow<never>[]
  performers: Readonly<Record<string, Performer>>
  /** How many runs are driven at once; the others wait, ordered by priority, then by age. */
  maxRuns: number
  durability?: 'full' | 'normal'
  random?(): number
  gates?: GateLedger
  /** Which runs workers perform. If absent, none. */
  placer?: RunPlacer
  /** Lists the runs that need a turn. If absent, the engine of one server. */
  engine?: OpenEngine
  onError(error: unknown): void
  /** Which runs this host picks up by itself; by default all whose workflow it knows. */
  isWanted?(run: RunRecord): boolean
  /** Called before this host drives a run. */
  onDriving?(run: RunRecord): Promise<void>
  /** Called after it stops driving a run, before the lease is released. */
  onDriven?(run: string, end: DriveEnd | null): Promise<void>
  /** Called when no run is driven any more. */
  onClosed?(): void
}

/** What an engine needs to know of its host. */
type EnginePort = Omit<StoreEngineOptions, 'servers' | 'ask'>
export type OpenEngine = (port: EnginePort) => RunEngine

/** Runs that workers perform cost their server little; this many are driven at once. */
const PLACED_RUNS_MAX = 1_000
const RENEW_MS = 5_000
/** When to try again after another process held the lease of a run, or no worker could take it. */
const RETRY_MS = 5_000

interface Driven {
  driver: Driver<never>
  lease: Lease
  done: Promise<DriveEnd>
  parent: string | null
  /** Driven on request, together with its child runs. */
  withChildren: boolean
}

/**
 * Drives runs in this process: acquires and renews leases, wakes drivers when another process
 * writes. Its engine says which runs need to be driven.
 */
export class RunHost {
  readonly #options: RunHostOptions
  readonly #driven = new Map<string, Driven>()
  readonly #workflows: ReadonlyMap<string, Workflow<never>>
  readonly #subscription: Promise<Subscription>
  /** Child runs that need an event from outside to continue. */
  readonly #parkedChildren = new Set<string>()
  readonly #engine: RunEngine
  #renewing: Timer
  #isClosed = false

  constructor(options: RunHostOptions) {
    this.#options = options
    this.#workflows = new Map(options.workflows.map(workflow => [workflow.kind, workflow]))
    const { store, clock, owner, isGone, onError, isWanted, maxRuns } = options
    const open = options.engine ?? (port => new StoreEngine(port))
    this.#engine = open({
      store,
      clock,
      owner,
      isGone,
      onError,
      hasRoom: ({ placement }, turns) => {
        if (placement !== null) return turns.length < PLACED_RUNS_MAX
        const here = turns.filter(run => run.placement === null)
        const others = [...this.#driven].filter(([id]) => !turns.some(run => run.id === id))
        return here.length + others.length < maxRuns
      },
      isWanted: run => this.#workflows.has(run.kind) && !this.#driven.has(run.id) && isWanted?.(run) !== false,
    })
    this.#renewing = this.#scheduleRenewal()
    this.#subscription = options.store.head().then(after =>
      options.store.subscribe({ after, onError: options.onError }, events => {
        for (const { stream, version, type } of events) {
          if (!stream.startsWith('run/')) continue
          const driven = this.#driven.get(stream.slice('run/'.length))
          if (driven) driven.driver.wake(version)
          else if (WAKING_EVENTS.includes(type)) {
            this.#parkedChildren.delete(stream.slice('run/'.length))
            this.#driveChildren().catch(options.onError)
          }
        }
      }),
    )
  }

  /** Starts driving every run that its engine finds. */
  async start(): Promise<void> {
    await this.#engine.start(run => this.#driveToEnd(run))
  }

  get engine(): Pick<RunEngine, 'status' | 'rebuild'> {
    return this.#engine
  }

  /** Gives a run a turn now: something outside its journal has changed. */
  wake(run: string): void {
    const driven = this.#driven.get(run)
    if (driven) driven.driver.wake(Number.POSITIVE_INFINITY)
    else void this.#engine.wake(run).catch(this.#options.onError)
  }

  /** Stops driving it, if it is driven here: another server can do more for it. */
  handOver(run: string): void {
    this.#driven.get(run)?.driver.release()
  }

  /** Drives a run as far as it gets without an event from outside. */
  async #driveToEnd(id: string): Promise<TurnResult> {
    const { store, clock } = this.#options
    const driven = await this.#drive(await getRun(store, id), { park: true, withChildren: false })
    if (!driven) return { againAt: clock.now() + RETRY_MS }
    const end = await driven.done
    const { state } = driven.driver
    if (end.state !== 'waiting' || !state) return { againAt: null }
    // A run that waits for a worker is due all the time.
    return { againAt: nextTurnAt(state) ?? (state.placement ? clock.now() + RETRY_MS : null) }
  }

  /**
   * Drives one run now, regardless of the limit, and its child runs. With `park` it stops driving
   * a run that only waits, once its children cannot make progress either.
   */
  async driveHere(run: RunRecord, { park }: { park: boolean } = { park: false }): Promise<DriveEnd> {
    const driven = await this.#drive(run, { park, withChildren: true })
    if (!driven) return { state: 'fenced' }
    await this.#driveChildren()
    return driven.done
  }

  /** Drives the child runs of runs that are driven on request. */
  async #driveChildren(): Promise<void> {
    const parents = [...this.#driven].filter(([, { withChildren }]) => withChildren)
    if (parents.length === 0 || this.#isClosed) return
    for (const [id, { driver }] of parents) {
      const runs = await childrenOf(this.#options.store, id)
      const children = runs.filter(run => !isEnded(run.status) && run.status !== 'paused')
      for (const child of children.filter(({ id: name }) => !this.#parkedChildren.has(name)))
        await this.#drive(child, { park: driver.mayPark, withChildren: true })
    }
  }

  /**
   * Whether a waiting run must stay: a timer or the end of a gate with a default will wake it, or
   * one of its children is driven or about to be.
   */
  #mustStay(id: string): boolean {
    if ([...this.#driven.values()].some(({ parent }) => parent === id)) return true
    const { state } = this.#driven.get(id)?.driver ?? {}
    return (
      (state?.timers.size ?? 0) > 0 ||
      [...(state?.gates.values() ?? [])].some(({ due, hasFallback }) => due !== null && hasFallback === true) ||
      [...(state?.children.values() ?? [])].some(child => !this.#parkedChildren.has(child))
    )
  }

  /** Stops driving the runs that were driven on request once they only wait for people. */
  startParking(): void {
    for (const { driver } of this.#driven.values()) driver.startParking()
  }

  isDriving(run: string): boolean {
    return this.#driven.has(run)
  }

  /** Releases everything in an orderly way. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#renewing.cancel()
    await this.#engine.close()
    ;(await this.#subscription).close()
    const all = [...this.#driven.values()]
    for (const { driver } of all) driver.release()
    await Promise.all(all.map(({ done }) => done.catch(this.#options.onError)))
    this.#options.onClosed?.()
  }

  // — driving —

  async #drive(
    run: RunRecord,
    { park, withChildren }: { park: boolean; withChildren: boolean },
  ): Promise<Driven | null> {
    const { store, owner, isGone, clock, performers, durability, random, onError } = this.#options
    const workflow = this.#workflows.get(run.kind)
    if (!workflow || this.#driven.has(run.id)) return this.#driven.get(run.id) ?? null
    const lease = await store.acquireLease(`run/${run.id}`, owner, { ttlMs: LEASE_MS, isGone })
    if (!lease.isAcquired || this.#isClosed) return null
    const driver = new Driver({
      store,
      run: run.id,
      workflow,
      performers,
      lease,
      clock,
      park,
      isNeeded: () => withChildren && this.#mustStay(run.id),
      random: random ?? Math.random,
      onError: error => onError(errorAbout(run.id, error)),
      ...(durability && { durability }),
      ...(this.#options.gates && { gates: this.#options.gates }),
      ...(run.placement && this.#options.placer && { placer: this.#options.placer }),
    })
    const driven: Driven = {
      driver,
      lease,
      done: this.#follow(run, driver, lease, withChildren),
      parent: run.parent,
      withChildren,
    }
    this.#driven.set(run.id, driven)
    driven.done.catch(withChildren ? onError : () => undefined)
    return driven
  }

  async #follow(run: RunRecord, driver: Driver<never>, lease: Lease, withChildren: boolean): Promise<DriveEnd> {
    const { store, onError, onDriving, onDriven } = this.#options
    let end: DriveEnd | null = null
    try {
      await onDriving?.(run)
      end = await driver.drive()
      return end
    } finally {
      await onDriven?.(run.id, end)?.catch(onError)
      this.#driven.delete(run.id)
      await store.releaseLease(lease).catch(onError)
      if (withChildren && run.parent !== null) await this.#onChildParked(run.id, run.parent).catch(onError)
    }
  }

  /**
   * A restarted child is followed by its successor; then the parent checks again whether to stay.
   */
  async #onChildParked(id: string, parent: string): Promise<void> {
    this.#parkedChildren.add(id)
    await this.#driveChildren()
    this.#driven.get(parent)?.driver.wake(Number.POSITIVE_INFINITY)
  }

  #scheduleRenewal(): Timer {
    return this.#options.clock.setTimer(RENEW_MS, () => {
      void this.#renew().catch(this.#options.onError)
      this.#renewing = this.#scheduleRenewal()
    })
  }

  async #renew(): Promise<void> {
    // A few at a time: the store has few connections.
    const leases = [...this.#driven.values()].map(({ lease }) => lease)
    const renewNext = async () => {
      for (let lease = leases.pop(); lease; lease = leases.pop()) await this.#options.store.renewLease(lease, LEASE_MS)
    }
    await Promise.all([renewNext(), renewNext(), renewNext()])
  }
}
