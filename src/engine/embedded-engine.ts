import type { Clock, Timer } from '../clock/index.js'
import type { EventStore, Lease, Subscription } from '../store/index.js'
import { openRuns, runsDueBy } from './control.js'
import { PICKING_UP } from './run-drivers.js'
import type { EngineStatus, RunEngine, TurnResult } from './run-engine.js'
import { byQueueOrder } from './run-order.js'
import { dueAt, type RunRecord } from './runs-projection.js'

export interface EmbeddedEngineOptions {
  store: EventStore
  clock: Clock
  /** Names this process so that other processes can check whether it is still alive. */
  owner: string
  /** Whether the process with this name is certainly dead. */
  isGone(owner: string): boolean
  /** Whether this process has room for a further run while so many turns are in progress. */
  hasRoom(turns: number): boolean
  /** Which runs it looks at. */
  isWanted(run: RunRecord): boolean
  onError(error: unknown): void
}

export const LEASE_MS = 15_000
const RENEW_MS = 5_000
/** Scanning finds the runs of processes that died. */
const SCAN_MS = 5_000

/** Events that may give a run something to do that nobody drives. */
export const WAKING: readonly string[] = [
  'run.created',
  'run.resumed',
  'run.cancelled',
  'gate.answered',
  'child.finished',
]

/**
 * The engine of one server: scans the store for runs that are due, now and periodically, and after
 * every event that may wake one. A lease tells other processes that this one does.
 */
export class EmbeddedEngine implements RunEngine {
  readonly #options: EmbeddedEngineOptions
  /** Runs that need no look before a time: an immediate retry would not help. */
  readonly #notBefore = new Map<string, number>()
  readonly #failed = new Set<string>()
  readonly #turning = new Set<string>()
  #turn: ((run: string) => Promise<TurnResult>) | null = null
  #subscription: Subscription | null = null
  #pickingUp: Lease | null = null
  #renewing: Timer | null = null
  #scanning: Timer | null = null
  #isScanning = false
  #isScanWanted = false
  #isClosed = false

  constructor(options: EmbeddedEngineOptions) {
    this.#options = options
  }

  async start(turn: (run: string) => Promise<TurnResult>): Promise<void> {
    const { store, onError } = this.#options
    const after = await store.head()
    await this.#announce()
    this.#turn = turn
    this.#subscription = store.subscribe({ after, types: WAKING, onError }, events => {
      for (const { stream } of events) this.#notBefore.delete(stream.slice('run/'.length))
      this.#scanSoon()
    })
    this.#scheduleRenewal()
    this.#scanSoon()
  }

  async poke(run: string, at?: number): Promise<void> {
    if (at === undefined) this.#notBefore.delete(run)
    this.#scanSoon()
  }

  async rebuild(run?: string): Promise<number> {
    const runs = run === undefined ? (await openRuns(this.#options.store)).map(({ id }) => id) : [run]
    for (const id of runs) this.#notBefore.delete(id)
    this.#scanSoon()
    return runs.length
  }

  async status(): Promise<EngineStatus> {
    const failing = [...this.#failed].map(run => ({ run, retryAt: this.#notBefore.get(run) ?? 0 }))
    return { kind: 'embedded', isActive: this.#pickingUp !== null, turns: this.#turning.size, failing }
  }

  /** Starts no further turn. Those in progress belong to the caller. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#renewing?.cancel()
    this.#scanning?.cancel()
    this.#subscription?.close()
    if (this.#pickingUp) await this.#options.store.releaseLease(this.#pickingUp)
  }

  async #announce(): Promise<void> {
    const { store, owner, isGone } = this.#options
    const lease = await store.acquireLease(PICKING_UP, owner, { ttlMs: LEASE_MS, isGone })
    if (!lease.isHeld) this.#pickingUp = lease
  }

  #scheduleRenewal(): void {
    const { clock, onError } = this.#options
    this.#renewing = clock.setTimer(RENEW_MS, () => {
      void this.#renew().catch(onError)
      this.#scheduleRenewal()
    })
  }

  /** The lease of a process that was killed may still have been valid when this one started. */
  async #renew(): Promise<void> {
    if (this.#pickingUp) await this.#options.store.renewLease(this.#pickingUp, LEASE_MS)
    else await this.#announce()
  }

  #scanSoon(): void {
    this.#isScanWanted = true
    if (this.#isScanning || this.#isClosed || !this.#turn) return
    this.#isScanning = true
    void this.#scan(this.#turn)
      .catch(this.#options.onError)
      .finally(() => {
        this.#isScanning = false
      })
  }

  async #scan(turn: (run: string) => Promise<TurnResult>): Promise<void> {
    while (this.#isScanWanted && !this.#isClosed) {
      this.#isScanWanted = false
      const { clock, store, isWanted, hasRoom } = this.#options
      // Those that become due before the next scan are included: they set its time.
      const runs = (await runsDueBy(store, clock.now() + SCAN_MS)).filter(
        run => !this.#turning.has(run.id) && isWanted(run),
      )
      const due = (run: RunRecord) => Math.max(dueAt(run) ?? Number.POSITIVE_INFINITY, this.#notBefore.get(run.id) ?? 0)
      for (const run of runs.filter(run => due(run) <= clock.now()).sort(byQueueOrder)) {
        if (!hasRoom(this.#turning.size)) break
        this.#take(turn, run.id)
      }
      this.#scanAgainAt(Math.min(...runs.map(due).filter(at => at > clock.now())))
    }
  }

  #take(turn: (run: string) => Promise<TurnResult>, run: string): void {
    const { clock, onError } = this.#options
    this.#turning.add(run)
    turn(run)
      .then(
        ({ againAt }) => {
          this.#failed.delete(run)
          // Not later than the next scan: an event that this engine does not know may wake the run.
          if (againAt === null) this.#notBefore.delete(run)
          else this.#notBefore.set(run, Math.min(againAt, clock.now() + SCAN_MS))
        },
        error => {
          this.#failed.add(run)
          this.#notBefore.set(run, clock.now() + SCAN_MS)
          onError(error)
        },
      )
      .finally(() => {
        this.#turning.delete(run)
        this.#scanSoon()
      })
  }

  #scanAgainAt(due: number): void {
    const { clock } = this.#options
    this.#scanning?.cancel()
    this.#scanning = clock.setTimer(Math.min(SCAN_MS, Math.max(0, due - clock.now())), () => this.#scanSoon())
  }
}
