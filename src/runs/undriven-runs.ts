import type { Clock, Timer } from '../clock/index.js'
import { getRun, isEnded, listRuns, RunDrivers, type RunRecord, runStream, UNDRIVEN_AFTER_MS } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import type { Home } from '../host/home/index.js'
import { type EventStore, isVersionConflict, type Subscription } from '../store/index.js'
import { endAllStepProcesses, endStepProcesses } from './leftovers.js'
import { requireDirectory, takeOver } from './take-over.js'

export interface UndrivenRunsOptions {
  store: EventStore
  home: Home
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

/** What the answer of a gate about the budget writes into the run behind it. */
const CONSEQUENCES: ReadonlySet<string> = new Set(['budget.raised', 'run.resumed'])

/**
 * Notices runs that no process drives although there is work to do; only the daemon has it, and
 * commands ask `RunDrivers` when they show a run.
 *
 * A run that waited for a person, who has answered now, continues in the daemon: the process of
 * the terminal in which it was started ended while it waited. For any other run, whose driver died,
 * it is written to the journal, so that pages and chats show it, and what its steps left running is
 * ended; the person resumes it.
 */
export class UndrivenRuns {
  readonly #options: UndrivenRunsOptions
  readonly #drivers: RunDrivers
  /** Runs that may need a driver. */
  readonly #open = new Set<string>()
  readonly #noticed = new Set<string>()
  #subscription: Subscription | null = null
  #timer: Timer | null = null
  #checking: Promise<void> = Promise.resolve()
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
    const { store, clock, onError } = this.#options
    const after = await store.head()
    for (const { id, status } of await listRuns(store)) if (!isEnded(status)) this.#open.add(id)
    this.#subscription = store.subscribe({ after, types: WAKING_EVENTS, onError }, events => {
      for (const { stream } of events) this.#open.add(stream.slice('run/'.length))
      // Not at the next check, so that no surface shows the run as stopped in between.
      if (events.some(({ type }) => type === 'gate.answered'))
        clock.setTimer(UNDRIVEN_AFTER_MS, () => void this.#check())
    })
    await this.#check()
    this.#checkAgain()
  }

  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
    this.#subscription?.close()
  }

  /** One check at a time: a run is taken over once. */
  #check(): Promise<void> {
    this.#checking = this.#checking.then(() => this.#checkAll())
    return this.#checking
  }

  async #checkAll(): Promise<void> {
    const { store, onError } = this.#options
    for (const id of this.#open) {
      if (this.#isClosed) return
      try {
        const run = await getRun(store, id)
        if (!(await this.#drivers.isUndriven(run))) this.#noticed.delete(id)
        else if (!this.#noticed.has(id) && !(await this.#continueAnswered(run))) await this.#notice(run)
        if (isEnded(run.status) || run.status === 'paused') this.#open.delete(id)
      } catch (error) {
        onError(error)
      }
    }
  }

  #checkAgain(): void {
    if (this.#isClosed) return
    this.#timer = this.#options.clock.setTimer(CHECK_MS, () => void this.#check().then(() => this.#checkAgain()))
  }

  /** Returns false for a run without a new answer, and for one that waits for a terminal. */
  async #continueAnswered(run: RunRecord): Promise<boolean> {
    const { store, home } = this.#options
    if (!home.loaded.config.runs.continue_answered) return false
    const version = await store.streamVersion(runStream(run.id))
    const last = await store.readStream(runStream(run.id), { fromVersion: Math.max(1, version - CONSEQUENCES.size) })
    const answer = last.findLast(({ type }) => !CONSEQUENCES.has(type))
    if (answer?.type !== 'gate.answered') return false
    try {
      requireDirectory(run)
      await takeOver({ store, home }, run, String(answer.data.by))
      return true
    } catch (error) {
      if (error instanceof SignalboxError && (error.code === 'E_STATE' || error.code === 'E_CONFIG')) return false
      throw error
    }
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
