import type { Clock, Timer } from '../clock/index.js'
import { errorAbout } from '../errors/index.js'
import type { EventStore, Lease, Subscription } from '../store/index.js'
import { getRun, listOpenRuns, runsDueBy } from './control.js'
import { DAEMON_RUNS_LEASE } from './run-drivers.js'
import type { EngineStatus, RunEngine, TurnResult } from './run-engine.js'
import { byQueueOrder } from './run-order.js'
import { dueAt, type RunRecord } from './runs-projection.js'
import type { Servers } from './servers.js'

export interface StoreEngineOptions {
  store: EventStore
  clock: Clock
  /** Names this process so that other processes can check whether it is still alive. */
  owner: string
  /** Whether the process with this name is certainly dead. */
  isGone(owner: string): boolean
  /** Whether this process has room for a further run beside those whose turns are in progress. */
  hasRoom(run: RunRecord, turns: readonly RunRecord[]): boolean
  /** Which runs it gives turns. */
  isWanted(run: RunRecord): boolean
  /** The other servers that drive runs. If absent, there are none. */
  servers?: Servers
  /** Has another engine call for a turn, on any server; false if it does not answer. */
  ask?(run: string, at?: number): Promise<boolean>
  onError(error: unknown): void
}

export const LEASE_MS = 15_000
const RENEW_MS = 5_000
/** Scanning finds the runs of processes that died. */
const SCAN_MS = 5_000
/** How long the server whose turn it is may take before the others act. */
const FALLBACK_DELAY_MS = 1_250

/** Requests to the other engine at the same time. */
export const CONCURRENT_REQUESTS_MAX = 16

/** Events that may give a run something to do that no process drives. */
export const WAKING_EVENTS: readonly string[] = [
  'run.created',
  'run.resumed',
  'run.taken-over',
  'run.cancelled',
  'gate.answered',
  'child.finished',
]

/**
 * Finds runs that are due in the store: after every event that may wake one, at the times that they
 * named, and in a scan every few seconds, which also finds the runs of servers that died. A server
 * alone takes every turn itself (`embedded`). Several divide the runs among them (`store`): each
 * run has a preferred server, and the others act when that one does not. Under another engine it is
 * the fallback: it asks that engine for turns, and takes them itself while the engine does not
 * answer.
 */
export class StoreEngine implements RunEngine {
  readonly #options: StoreEngineOptions
  /** Runs that are not examined before a time: an immediate retry would not help. */
  readonly #notBefore = new Map<string, number>()
  /** Since when runs are due that another server should take. */
  readonly #leftSince = new Map<string, number>()
  /** Runs that the other engine was asked to call for, and that are still due. */
  readonly #asked = new Set<string>()
  readonly #failed = new Set<string>()
  readonly #turning = new Map<string, RunRecord>()
  #turn: ((run: string) => Promise<TurnResult>) | null = null
  #subscription: Subscription | null = null
  #pickingUp: Lease | null = null
  #renewing: Timer | null = null
  #scanning: Timer | null = null
  #isScanning = false
  #isScanWanted = false
  #isClosed = false

  constructor(options: StoreEngineOptions) {
    this.#options = options
  }

  async start(turn: (run: string) => Promise<TurnResult>): Promise<void> {
    const { store, onError, servers } = this.#options
    const after = await store.head()
    await this.#announce()
    this.#turn = turn
    this.#subscription = store.subscribe({ after, types: WAKING_EVENTS, onError }, events => {
      for (const { stream } of events) this.#notBefore.delete(stream.slice('run/'.length))
      this.#scanSoon()
    })
    servers?.onChange(() => {
      // A server that held runs may be gone: those need no longer wait.
      for (const run of [...this.#notBefore.keys()]) if (!this.#failed.has(run)) this.#notBefore.delete(run)
      this.#scanSoon()
    })
    this.#scheduleRenewal()
    this.#scanSoon()
  }

  async wake(run: string, at?: number): Promise<void> {
    if (at === undefined) this.#notBefore.delete(run)
    this.#scanSoon()
  }

  async rebuild(run?: string): Promise<number> {
    const runs = run === undefined ? (await listOpenRuns(this.#options.store)).map(({ id }) => id) : [run]
    for (const id of runs) this.#notBefore.delete(id)
    this.#scanSoon()
    return runs.length
  }

  async status(): Promise<EngineStatus> {
    const failing = [...this.#failed].map(run => ({ run, retryAt: this.#notBefore.get(run) ?? 0 }))
    const kind = this.#options.servers ? 'store' : 'embedded'
    return { kind, isActive: this.#pickingUp !== null, turns: this.#turning.size, failing }
  }

  /**
   * Another engine calls for a turn here: begins it, and does not wait for its end.
   * @returns when to call again; null if an event will wake the run, or another server has it.
   */
  async beginTurn(run: string): Promise<number | null> {
    const { store, clock, isWanted, hasRoom } = this.#options
    const record = await getRun(store, run)
    const due = dueAt(record)
    if (!this.#turn || this.#isClosed || due === null || !isWanted(record) || this.#turning.has(run)) return null
    if (due > clock.now()) return due
    if ((await this.#leases()).held.has(run)) return null
    if (!hasRoom(record, [...this.#turning.values()])) return clock.now() + FALLBACK_DELAY_MS
    if (!this.#turning.has(run)) this.#startTurn(this.#turn, record)
    return null
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
    const lease = await store.acquireLease(DAEMON_RUNS_LEASE, owner, { ttlMs: LEASE_MS, isGone })
    if (lease.isAcquired) this.#pickingUp = lease
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
    if (this.#pickingUp && (await this.#options.store.renewLease(this.#pickingUp, LEASE_MS))) return
    this.#pickingUp = null
    await this.#announce()
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
      // A turn that ends while the store is read makes what was read of its run outdated.
      const busy = new Set(this.#turning.keys())
      // Those that become due before the next scan are included: they set its time.
      const [found, { held, orphans }] = [await runsDueBy(store, clock.now() + SCAN_MS), await this.#leases()]
      const runs = found.filter(
        run => !busy.has(run.id) && !this.#turning.has(run.id) && isWanted(run) && !held.has(run.id),
      )
      this.#rememberLeftRuns(runs)
      const open = new Set(runs.map(({ id }) => id))
      for (const run of this.#asked) if (!open.has(run)) this.#asked.delete(run)
      const due = (run: RunRecord) => Math.max(this.#dueAt(run), this.#notBefore.get(run.id) ?? 0)
      const now = runs.filter(run => due(run) <= clock.now()).sort(byQueueOrder)
      // A run whose server is gone is continued here: the other engine would need more time.
      const asked = await this.#askFor(now.filter(run => !orphans.has(run.id)))
      for (const run of now) {
        if (asked.has(run.id) || this.#turning.has(run.id)) continue
        if (!hasRoom(run, [...this.#turning.values()])) break
        this.#startTurn(turn, run)
      }
      this.#scanAgainAt(Math.min(...runs.map(due).filter(at => at > clock.now())))
    }
  }

  /** The runs that other live servers drive, and those of servers that are gone. */
  async #leases(): Promise<{ held: ReadonlySet<string>; orphans: ReadonlySet<string> }> {
    const { store, servers, isGone } = this.#options
    if (!servers) return { held: new Set(), orphans: new Set() }
    const [now, holders] = [await store.now(), await store.leaseHolders('run/')]
    const valid = holders.filter(({ until }) => until > now)
    const runs = (wanted: boolean) =>
      new Set(valid.filter(({ by }) => isGone(by) === wanted).map(({ key }) => key.slice('run/'.length)))
    return { held: runs(false), orphans: runs(true) }
  }

  /** Remembers since when runs are due that this server leaves to another one. */
  #rememberLeftRuns(runs: readonly RunRecord[]): void {
    const { servers, clock } = this.#options
    if (!servers) return
    const due = new Set(runs.filter(run => (dueAt(run) ?? 0) <= clock.now()).map(({ id }) => id))
    for (const run of this.#leftSince.keys()) if (!due.has(run)) this.#leftSince.delete(run)
    for (const run of due) if (!this.#leftSince.has(run)) this.#leftSince.set(run, clock.now())
  }

  #dueAt(run: RunRecord): number {
    const { servers } = this.#options
    const due = dueAt(run) ?? Number.POSITIVE_INFINITY
    const left = this.#leftSince.get(run.id)
    return !servers || left === undefined || servers.prefers(run.id) ? due : Math.max(due, left + FALLBACK_DELAY_MS)
  }

  /** Many at once: after the death of a server, all its runs are due in the same moment. */
  async #askFor(runs: readonly RunRecord[]): Promise<ReadonlySet<string>> {
    const asked = new Set<string>()
    const waiting = [...runs]
    const askNext = async () => {
      for (let run = waiting.pop(); run; run = waiting.pop()) if (await this.#isAsked(run)) asked.add(run.id)
    }
    await Promise.all(Array.from({ length: Math.min(CONCURRENT_REQUESTS_MAX, runs.length) }, askNext))
    return asked
  }

  /**
   * Leaves a run that any server may take to the other engine, if that one answers. A run that is
   * still due some time later is not left to it again: the node that has it may be without a
   * server, or may have lost its quorum.
   */
  async #isAsked(run: RunRecord): Promise<boolean> {
    const { ask, clock } = this.#options
    if (!ask || run.placement === null || this.#asked.delete(run.id) || !(await ask(run.id))) return false
    this.#asked.add(run.id)
    this.#notBefore.set(run.id, clock.now() + FALLBACK_DELAY_MS)
    return true
  }

  #startTurn(turn: (run: string) => Promise<TurnResult>, record: RunRecord): void {
    const { clock, onError, ask } = this.#options
    const run = record.id
    this.#turning.set(run, record)
    turn(run)
      .then(
        ({ againAt }) => {
          this.#failed.delete(run)
          // Not later than the next scan: an event that this engine does not know may wake the run.
          if (againAt === null) this.#notBefore.delete(run)
          else this.#notBefore.set(run, Math.min(againAt, clock.now() + SCAN_MS))
          if (againAt !== null && record.placement !== null) void ask?.(run, againAt).catch(onError)
        },
        error => {
          this.#failed.add(run)
          this.#notBefore.set(run, clock.now() + SCAN_MS)
          onError(errorAbout(run, error))
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
