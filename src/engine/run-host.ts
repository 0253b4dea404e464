import type { Clock, Timer } from '../clock/index.js'
import type { EventStore, Lease, Subscription } from '../store/index.js'
import { childrenOf, runsDueBy } from './control.js'
import { type DriveEnd, Driver } from './drive.js'
import { PICKING_UP } from './run-drivers.js'
import { byQueueOrder } from './run-order.js'
import { isEnded } from './run-status-table.js'
import { dueAt, type RunRecord } from './runs-projection.js'
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

const LEASE_MS = 15_000
const RENEW_MS = 5_000
/** Scanning finds the runs of hosts that died. */
const SCAN_MS = 5_000

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
 * writes, and picks up runs that no process drives.
 */
export class RunHost {
  readonly #options: RunHostOptions
  readonly #driven = new Map<string, Driven>()
  readonly #workflows: ReadonlyMap<string, Workflow<never>>
  readonly #subscription: Promise<Subscription>
  /** Child runs that need an event from outside to continue. */
  readonly #parkedChildren = new Set<string>()
  /** Runs that could not be driven, and when to retry: an immediate retry would not help. */
  readonly #retryAt = new Map<string, number>()
  #renewing: Timer
  #scanning: Timer | null = null
  #pickingUp: Lease | null = null
  #isStarted = false
  #isScanning = false
  #isScanWanted = false
  #isClosed = false

  constructor(options: RunHostOptions) {
    this.#options = options
    this.#workflows = new Map(options.workflows.map(workflow => [workflow.kind, workflow]))
    this.#renewing = this.#scheduleRenewal()
    this.#subscription = options.store.head().then(after =>
      options.store.subscribe({ after, onError: options.onError }, events => {
        for (const { stream, version, type } of events) {
          if (!stream.startsWith('run/')) continue
          const driven = this.#driven.get(stream.slice('run/'.length))
          if (driven) driven.driver.poke(version)
          else if (WAKING.has(type)) {
            this.#parkedChildren.delete(stream.slice('run/'.length))
            this.#driveChildren().catch(options.onError)
            this.#scanSoon()
          }
        }
      }),
    )
  }

  /**
   * Looks for runs that no process drives, now and periodically: queued ones, woken ones, those of
   * dead hosts. A lease tells other processes that this one does.
   */
  async start(): Promise<void> {
    await this.#announce()
    this.#isStarted = true
    this.#scanSoon()
  }

  async #announce(): Promise<void> {
    const { store, owner, isGone } = this.#options
    const lease = await store.acquireLease(PICKING_UP, owner, { ttlMs: LEASE_MS, isGone })
    if (!lease.isHeld) this.#pickingUp = lease
  }

  /**
   * Drives one run now, regardless of the limit, and its child runs. Without `park` it also stays
   * while the run waits; with it, the run parks once its children cannot make progress either.
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

  /** Lets the runs that are driven on request park once they only wait for people. */
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
    this.#scanning?.cancel()
    ;(await this.#subscription).close()
    const all = [...this.#driven.values()]
    for (const { driver } of all) driver.release()
    await Promise.all(all.map(({ done }) => done.catch(this.#options.onError)))
    if (this.#pickingUp) await this.#options.store.releaseLease(this.#pickingUp)
    this.#options.onClosed?.()
  }

  // — finding runs —

  #scanSoon(): void {
    this.#isScanWanted = true
    if (this.#isScanning || this.#isClosed || !this.#isStarted) return
    this.#isScanning = true
    void this.#scan()
      .catch(this.#options.onError)
      .finally(() => {
        this.#isScanning = false
      })
  }

  async #scan(): Promise<void> {
    while (this.#isScanWanted && !this.#isClosed) {
      this.#isScanWanted = false
      const { clock, maxRuns, store, isWanted } = this.#options
      // Those that become due before the next scan are included: they set its time.
      const runs = (await runsDueBy(store, clock.now() + SCAN_MS)).filter(
        run => this.#workflows.has(run.kind) && !this.#driven.has(run.id) && isWanted?.(run) !== false,
      )
      const due = (run: RunRecord) => Math.max(dueAt(run) ?? Number.POSITIVE_INFINITY, this.#retryAt.get(run.id) ?? 0)
      for (const run of runs.filter(run => due(run) <= clock.now()).sort(byQueueOrder)) {
        if (this.#driven.size >= maxRuns) break
        await this.#drive(run, { park: true, withChildren: false })
      }
      this.#scanAgainAt(Math.min(...runs.map(due).filter(at => at > clock.now())))
    }
  }

  #scanAgainAt(due: number): void {
    const { clock } = this.#options
    this.#scanning?.cancel()
    this.#scanning = clock.setTimer(Math.min(SCAN_MS, Math.max(0, due - clock.now())), () => this.#scanSoon())
  }

  async #drive(
    run: RunRecord,
    { park, withChildren }: { park: boolean; withChildren: boolean },
  ): Promise<Driven | null> {
    const { store, owner, isGone, clock, performers, durability, random, onError } = this.#options
    const workflow = this.#workflows.get(run.kind)
    if (!workflow || this.#driven.has(run.id)) return this.#driven.get(run.id) ?? null
    const lease = await store.acquireLease(`run/${run.id}`, owner, { ttlMs: LEASE_MS, isGone })
    if (lease.isHeld || this.#isClosed) return null
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
      onError,
      ...(durability && { durability }),
      ...(this.#options.gates && { gates: this.#options.gates }),
    })
    const driven: Driven = {
      driver,
      lease,
      done: this.#follow(run, driver, lease, withChildren),
      parent: run.parent,
      withChildren,
    }
    this.#driven.set(run.id, driven)
    driven.done.catch(onError)
    return driven
  }

  async #follow(run: RunRecord, driver: Driver<never>, lease: Lease, withChildren: boolean): Promise<DriveEnd> {
    const { store, onError, onDriving, onDriven } = this.#options
    let end: DriveEnd | null = null
    try {
      await onDriving?.(run)
      end = await driver.drive()
      this.#retryAt.delete(run.id)
      return end
    } finally {
      if (end === null) this.#retryAt.set(run.id, this.#options.clock.now() + SCAN_MS)
      await onDriven?.(run.id, end)?.catch(onError)
      this.#driven.delete(run.id)
      await store.releaseLease(lease).catch(onError)
      if (withChildren && run.parent !== null) await this.#onChildParked(run.id, run.parent).catch(onError)
      this.#scanSoon()
    }
  }

  /**
   * A restarted child is followed by its successor; then the parent checks again whether to stay.
   */
  async #onChildParked(id: string, parent: string): Promise<void> {
    this.#parkedChildren.add(id)
    await this.#driveChildren()
    this.#driven.get(parent)?.driver.poke(Number.POSITIVE_INFINITY)
  }

  #scheduleRenewal(): Timer {
    return this.#options.clock.setTimer(RENEW_MS, () => {
      void this.#renew().catch(this.#options.onError)
      this.#renewing = this.#scheduleRenewal()
    })
  }

  async #renew(): Promise<void> {
    // The lease of a host that was killed may still have run when this one started.
    if (this.#isStarted && !this.#pickingUp) await this.#announce()
    const leases = [...this.#driven.values()].map(({ lease }) => lease)
    for (const lease of this.#pickingUp ? [this.#pickingUp, ...leases] : leases)
      await this.#options.store.renewLease(lease, LEASE_MS)
  }
}

/** Events that may give an undriven run something to do. */
const WAKING = new Set(['run.created', 'run.resumed', 'gate.answered', 'child.finished', 'run.cancelled'])
