import type { Clock, Timer } from '../clock/index.js'
import { getRun, isEnded, listRuns, RunDrivers, type RunRecord, runStream } from '../engine/index.js'
import { newEvent } from '../events/index.js'
import { type EventStore, isVersionConflict, type Subscription } from '../store/index.js'
import { endAllStepProcesses, endStepProcesses } from './leftovers.js'

export interface UndrivenRunsOptions {
  store: EventStore
  clock: Clock
  /** Names of steps that run in sessions: the daemon continues them. */
  sessionSteps(): Promise<ReadonlySet<string>>
  onError(error: unknown): void
}

/** People are notified within 5 s of the death of a driver. */
const CHECK_MS = 1_500

/** Events after which a run may need a driver. */
const WAKING_EVENTS = [
  ...(['run.created', 'run.started', 'run.resumed', 'run.waiting', 'timer.fired'] as const),
  ...(['gate.answered', 'gate.expired', 'child.finished'] as const),
]

/**
 * Notices runs whose driver died: writes it to their journal, so that pages and chats show it, and
 * ends what their steps left running. Only the daemon has it; commands ask `RunDrivers` when they
 * show a run.
 */
export class UndrivenRuns {
  readonly #options: UndrivenRunsOptions
  readonly #drivers: RunDrivers
  /** Runs that may need a driver. */
  readonly #open = new Set<string>()
  readonly #noticed = new Set<string>()
  #subscription: Subscription | null = null
  #timer: Timer | null = null
  #isClosed = false

  constructor(options: UndrivenRunsOptions) {
    this.#options = options
    this.#drivers = new RunDrivers(options.store, options.clock)
  }

  /** Ends what earlier drivers left running. Call it before this process drives runs itself. */
  async endStepProcesses(): Promise<void> {
    const { store, clock, sessionSteps } = this.#options
    await endAllStepProcesses({ store, clock, drivers: this.#drivers }, await sessionSteps())
  }

  async start(): Promise<void> {
    const { store, onError } = this.#options
    const after = await store.head()
    for (const { id, status } of await listRuns(store)) if (!isEnded(status)) this.#open.add(id)
    this.#subscription = store.subscribe({ after, types: WAKING_EVENTS, onError }, events => {
      for (const { stream } of events) this.#open.add(stream.slice('run/'.length))
    })
    await this.#check()
  }

  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
    this.#subscription?.close()
  }

  async #check(): Promise<void> {
    const { store, clock, onError } = this.#options
    for (const id of this.#open) {
      try {
        const run = await getRun(store, id)
        if (!(await this.#drivers.isUndriven(run))) this.#noticed.delete(id)
        else if (!this.#noticed.has(id)) await this.#notice(run)
        if (isEnded(run.status) || run.status === 'paused') this.#open.delete(id)
      } catch (error) {
        onError(error)
      }
    }
    if (!this.#isClosed) this.#timer = clock.setTimer(CHECK_MS, () => void this.#check())
  }

  async #notice({ id, placement }: RunRecord): Promise<void> {
    const { store, clock, onError } = this.#options
    this.#noticed.add(id)
    const version = await store.streamVersion(runStream(id))
    const [last] = await store.readStream(runStream(id), { fromVersion: version })
    // Another process may resume the run at the same time; then this result is out of date.
    if (last?.type !== 'run.undriven')
      await store.append(runStream(id), version, [newEvent('run.undriven', {})]).catch(ignoreResumed)
    if (placement) return
    void endStepProcesses({ store, clock }, id, { mayEnd: async () => !(await this.#drivers.isHeld(id)) }).catch(
      onError,
    )
  }
}

function ignoreResumed(error: unknown): void {
  if (!isVersionConflict(error)) throw error
}
