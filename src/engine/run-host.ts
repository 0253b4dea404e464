import type { Clock, Timer } from '../clock/index.js'
import type { EventStore, Lease, Subscription } from '../store/index.js'
import { listRuns } from './control.js'
import { type DriveEnd, Driver } from './drive.js'
import { byTurn } from './run-order.js'
import { isEnded } from './run-status-table.js'
import type { RunRecord } from './runs-projection.js'
import type { Performer, Workflow } from './workflow.js'

export interface RunHostOptions {
  store: EventStore
  clock: Clock
  /** Names this process so that another one can tell whether it still lives. */
  owner: string
  /** Whether the process of this name is certainly gone. */
  isGone(owner: string): boolean
  workflows: readonly Workflow<never>[]
  performers: Readonly<Record<string, Performer>>
  /** How many runs may be driven at once; the rest wait: those of a higher priority first, then the older. */
  maxRuns: number
  durability?: 'full' | 'normal'
  random?(): number
  onError(error: unknown): void
  /** Which runs this host looks for by itself; all that it knows the workflow of, unless told. */
  isWanted?(run: RunRecord): boolean
  /** A run is about to be driven by this host. */
  onDriving?(run: RunRecord): Promise<void>
  /** It is driven no longer; its lease is given up after this. */
  onDriven?(run: string, end: DriveEnd | null): Promise<void>
  /** Nothing is driven any more. */
  onClosed?(): void
}

const LEASE_MS = 15_000
const RENEW_MS = 5_000
/** Runs of hosts that died in silence are found by looking. */
const SCAN_MS = 5_000

interface Driven {
  driver: Driver<never>
  lease: Lease
  done: Promise<DriveEnd>
  parent: string | null
  /** Driven on request, together with the runs that it starts. */
  isFamily: boolean
}

/** Drives runs in this process: takes leases and keeps them, wakes drivers for what others write, and picks up what nobody drives. */
export class RunHost {
  readonly #options: RunHostOptions
  readonly #driven = new Map<string, Driven>()
  readonly #workflows: ReadonlyMap<string, Workflow<never>>
  readonly #subscription: Promise<Subscription>
  /** Child runs that can only go on when something comes from outside. */
  readonly #resting = new Set<string>()
  /** Runs that could not be driven, and when to try again: whatever is wrong is not mended by trying at once. */
  readonly #troubled = new Map<string, number>()
  #renewing: Timer
  #scanning: Timer | null = null
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
            this.#resting.delete(stream.slice('run/'.length))
            this.#driveChildren().catch(options.onError)
            this.#scanSoon()
          }
        }
      }),
    )
  }

  /** Looks for runs that nobody drives, now and from time to time: queued ones, woken ones, those of hosts that died. */
  start(): void {
    this.#isStarted = true
    this.#scanSoon()
  }

  /**
   * Drives one run here and now, whatever the limit, and the runs that it starts; unless it parks, it stays with the run while that waits.
   * One that parks does so when its children can do nothing either.
   */
  async driveHere(run: RunRecord, { park }: { park: boolean } = { park: false }): Promise<DriveEnd> {
    const driven = await this.#drive(run, { park, isFamily: true })
    if (!driven) return { state: 'fenced' }
    await this.#driveChildren()
    return driven.done
  }

  /** Runs that were started by one that is driven on request. */
  async #driveChildren(): Promise<void> {
    const families = [...this.#driven].filter(([, { isFamily }]) => isFamily)
    if (families.length === 0 || this.#isClosed) return
    const runs = await listRuns(this.#options.store)
    for (const [id, { driver }] of families) {
      const children = runs.filter(run => run.parent === id && !isEnded(run.status) && run.status !== 'paused')
      for (const child of children.filter(({ id: name }) => !this.#resting.has(name)))
        await this.#drive(child, { park: driver.mayPark, isFamily: true })
    }
  }

  /** Whether a run that waits must stay: a time will wake it, or one of its children is being driven, or is about to be. */
  #mustStay(id: string): boolean {
    if ([...this.#driven.values()].some(({ parent }) => parent === id)) return true
    const { state } = this.#driven.get(id)?.driver ?? {}
    return (
      (state?.timers.size ?? 0) > 0 || [...(state?.children.values() ?? [])].some(child => !this.#resting.has(child))
    )
  }

  isDriving(run: string): boolean {
    return this.#driven.has(run)
  }

  /** Gives everything up in good order. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#renewing.cancel()
    this.#scanning?.cancel()
    ;(await this.#subscription).close()
    const all = [...this.#driven.values()]
    for (const { driver } of all) driver.release()
    await Promise.all(all.map(({ done }) => done.catch(this.#options.onError)))
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
      const runs = (await listRuns(store)).filter(
        run => this.#workflows.has(run.kind) && !this.#driven.has(run.id) && isWanted?.(run) !== false,
      )
      const due = (run: RunRecord) => Math.max(dueAt(run), this.#troubled.get(run.id) ?? 0)
      for (const run of runs.filter(run => due(run) <= clock.now()).sort(byTurn)) {
        if (this.#driven.size >= maxRuns) break
        await this.#drive(run, { park: true, isFamily: false })
      }
      this.#scanAgainAt(Math.min(...runs.map(due).filter(at => at > clock.now())))
    }
  }

  #scanAgainAt(due: number): void {
    const { clock } = this.#options
    this.#scanning?.cancel()
    this.#scanning = clock.setTimer(Math.min(SCAN_MS, Math.max(0, due - clock.now())), () => this.#scanSoon())
  }

  async #drive(run: RunRecord, { park, isFamily }: { park: boolean; isFamily: boolean }): Promise<Driven | null> {
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
      isNeeded: () => isFamily && this.#mustStay(run.id),
      random: random ?? Math.random,
      onError,
      ...(durability && { durability }),
    })
    const driven: Driven = {
      driver,
      lease,
      done: this.#follow(run, driver, lease, isFamily),
      parent: run.parent,
      isFamily,
    }
    this.#driven.set(run.id, driven)
    driven.done.catch(onError)
    return driven
  }

  async #follow(run: RunRecord, driver: Driver<never>, lease: Lease, isFamily: boolean): Promise<DriveEnd> {
    const { store, onError, onDriving, onDriven } = this.#options
    let end: DriveEnd | null = null
    try {
      await onDriving?.(run)
      end = await driver.drive()
      this.#troubled.delete(run.id)
      return end
    } finally {
      if (end === null) this.#troubled.set(run.id, this.#options.clock.now() + SCAN_MS)
      await onDriven?.(run.id, end)?.catch(onError)
      this.#driven.delete(run.id)
      await store.releaseLease(lease).catch(onError)
      if (isFamily && run.parent !== null) await this.#childRests(run.id, run.parent).catch(onError)
      this.#scanSoon()
    }
  }

  /** One that began anew is followed by its successor; then whoever waits for it looks again whether to stay. */
  async #childRests(id: string, parent: string): Promise<void> {
    this.#resting.add(id)
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
    for (const { lease } of this.#driven.values()) await this.#options.store.renewLease(lease, LEASE_MS)
  }
}

/** What may give a run that nobody drives something to do. */
const WAKING = new Set(['run.created', 'run.resumed', 'gate.answered', 'child.finished', 'run.cancelled'])

/** From when on a run needs a driver: never, when it has ended, is paused, or waits for something that only others can bring. */
function dueAt(run: RunRecord): number {
  if (run.status === 'queued') return run.startAt ?? 0
  if (run.status === 'running') return 0
  return run.status === 'waiting' ? (run.wakeAt ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY
}
