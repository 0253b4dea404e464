import type { Clock, Timer } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import type { EventStore, Lease, NewEvent } from '../store/index.js'
import { proposeArrivals, proposeNext } from './proposals.js'
import { RunJournal } from './run-journal.js'
import type { RunState } from './run-state.js'
import { isEnded, type RunStatus } from './run-status-table.js'
import { RunningSteps, sumOf } from './running-steps.js'
import type { Command, Performer, Workflow } from './workflow.js'

export interface DriveOptions<Work> {
  store: EventStore
  run: string
  workflow: Workflow<Work>
  performers: Readonly<Record<string, Performer>>
  lease: Lease
  clock: Clock
  /** A number in [0, 1), drawn where a command asks for jitter. */
  random(): number
  /** Returns when only people, times or other runs can help, instead of waiting for them here. */
  park: boolean
  /** Keeps a run from parking while something here still goes on for it. */
  isNeeded?(): boolean
  durability?: 'full' | 'normal'
  onError(error: unknown): void
}

export type DriveEnd =
  | { state: 'ended'; status: RunStatus }
  | { state: 'paused' }
  /** Parked: nothing of ours is needed before something comes from outside. */
  | { state: 'waiting' }
  /** Another process drives it. */
  | { state: 'fenced' }
  /** Given up in good order; the next host takes over. */
  | { state: 'released' }

/**
 * Drives one run: folds its journal, asks the workflow what should be going on, starts that, and writes down what comes of it. Each turn
 * is one transaction: the end of a step, all that follows from it and the announcement of the next steps are written together, and only
 * then do these begin. So after a crash everything that had ended is known, and whatever had begun has a name to look for.
 */
export class Driver<Work> {
  readonly #options: DriveOptions<Work>
  readonly #steps: RunningSteps
  readonly #timers = new Map<string, Timer>()
  #journal: RunJournal<Work> | null = null
  #arrived: NewEvent[] = []
  #isWoken = false
  #isPoked = false
  #isReleased = false
  #wake: (() => void) | null = null

  constructor(options: DriveOptions<Work>) {
    this.#options = options
    this.#steps = new RunningSteps({
      run: options.run,
      performers: options.performers,
      now: () => options.clock.now(),
      work: () => this.#journal?.run.work,
      costLeftUsd: () => {
        const { limits, usage } = this.#journal?.run ?? { limits: {}, usage: { costUsd: 0 } }
        return limits.costUsd === undefined ? null : Math.max(0, limits.costUsd - (usage.costUsd ?? 0))
      },
      arrive: event => this.#arrive(event),
      onSpent: () => this.#onSpent(),
      onError: options.onError,
    })
  }

  /** Runs until the run ends, pauses, waits (when parking), or is no longer ours. Leaves nothing running behind. */
  async drive(): Promise<DriveEnd> {
    const { store, run, workflow, durability } = this.#options
    const journal = await RunJournal.open(store, run, workflow, durability)
    this.#journal = journal
    try {
      await this.#takeOver(journal.run)
      for (;;) {
        const end = await this.#turn(journal)
        if (end) return end
        await this.#somethingArrives()
      }
    } catch (error) {
      if (error instanceof SignalboxError && error.code === 'E_FENCED') return { state: 'fenced' }
      throw error
    } finally {
      for (const timer of this.#timers.values()) timer.cancel()
      await this.#steps.stop(this.#stopReason(journal.run.status))
    }
  }

  /** Something was written to the run by another hand, up to this version. */
  poke(version: number): void {
    if (this.#journal && version <= this.#journal.run.version) return
    this.#isPoked = true
    this.#wakeUp()
  }

  /** Stops in good order, without pausing the run: another host will go on. */
  release(): void {
    this.#isReleased = true
    this.#wakeUp()
  }

  get mayPark(): boolean {
    return this.#options.park
  }

  get state(): RunState<Work> | null {
    return this.#journal?.run ?? null
  }

  async #turn(journal: RunJournal<Work>): Promise<DriveEnd | null> {
    for (;;) {
      if (this.#isReleased) return { state: 'released' }
      if (this.#isPoked) {
        this.#isPoked = false
        await journal.catchUp()
      }
      const arrived = this.#arrived
      this.#arrived = []
      proposeArrivals({ journal, at: this.#now() }, arrived)
      const commands = this.#plan(journal)
      if (!(await journal.commit(this.#options.lease))) {
        // Somebody else wrote first: theirs is folded by now, and ours is looked at again in its light.
        this.#arrived = [...arrived, ...this.#arrived]
        continue
      }
      const { status } = journal.run
      if (isEnded(status)) return { state: 'ended', status }
      if (status === 'paused') return { state: 'paused' }
      this.#carryOut(journal.run, commands)
      return status === 'waiting' && this.#mayRest(journal.run) ? { state: 'waiting' } : null
    }
  }

  /** A time that has come already is not waited for elsewhere: it fires now. */
  #mayRest(run: RunState<Work>): boolean {
    const { park, isNeeded } = this.#options
    if (!park || !this.#steps.isEmpty || isNeeded?.()) return false
    const dues = [...run.timers.values(), ...[...run.gates.values()].flatMap(({ due }) => due ?? [])]
    return dues.every(due => due > this.#now())
  }

  #plan(journal: RunJournal<Work>): readonly Command[] {
    const { workflow, lease, random } = this.#options
    const usage = sumOf(this.#steps.usage, journal.run.usage)
    return proposeNext({ journal, workflow, lease, at: this.#now(), usage, random })
  }

  #carryOut(run: RunState<Work>, commands: readonly Command[]): void {
    const wanted = new Set<string>()
    for (const command of commands) {
      if (command.do === 'step') {
        wanted.add(command.step)
        const open = run.steps.get(command.step)
        if (open) this.#steps.begin(command.step, open)
      } else if (command.do === 'recover') this.#steps.recover(command.step, command.effect, command.input)
    }
    this.#steps.keepOnly(wanted)
    this.#armTimers(run)
  }

  #armTimers(run: RunState<Work>): void {
    for (const [timer, due] of run.timers) {
      this.#arm(`timer ${timer}`, due, () => {
        if (this.state?.timers.has(timer))
          this.#arrive(newEvent('timer.fired', { timer, lateMs: Math.max(0, this.#now() - due) }))
      })
    }
    for (const [gate, { approval, due }] of run.gates) {
      if (due === null) continue
      this.#arm(`gate ${gate} ${approval}`, due, () => {
        if (this.state?.gates.get(gate)?.approval === approval)
          this.#arrive(newEvent('gate.expired', { gate, approval, reason: 'nobody answered in time' }))
      })
    }
    if (run.limits.timeMs !== undefined && run.runningSince !== null)
      this.#arm(`limit ${run.limits.timeMs}`, run.runningSince + run.limits.timeMs - run.ranMs, () => this.#wakeUp())
  }

  #arm(name: string, due: number, callback: () => void): void {
    if (this.#timers.has(name)) return
    const timer = this.#options.clock.setTimer(Math.max(0, due - this.#now()), () => {
      this.#timers.delete(name)
      callback()
    })
    this.#timers.set(name, timer)
  }

  /** Steps that were begun by a host that is gone: gone on with where they still live, else lost. */
  async #takeOver(run: RunState<Work>): Promise<void> {
    if (isEnded(run.status) || run.status === 'paused') return
    for (const [step, open] of run.steps) {
      if (!(await this.#steps.adopt(step, open))) this.#arrived.push(newEvent('step.lost', { step }))
    }
  }

  #stopReason(status: RunStatus): 'released' | 'paused' | 'cancelled' | 'fenced' {
    if (this.#isReleased) return 'released'
    if (status === 'paused') return 'paused'
    return isEnded(status) ? 'cancelled' : 'fenced'
  }

  #onSpent(): void {
    if (this.state && Object.keys(this.state.limits).length > 0) this.#wakeUp()
  }

  #somethingArrives(): Promise<void> {
    if (this.#isWoken) {
      this.#isWoken = false
      return Promise.resolve()
    }
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }

  /** Also counts when nobody waits at the moment. */
  #wakeUp(): void {
    const wake = this.#wake
    this.#wake = null
    if (wake) wake()
    else this.#isWoken = true
  }

  #arrive(event: NewEvent): void {
    this.#arrived.push({ at: this.#now(), ...event })
    this.#wakeUp()
  }

  #now(): number {
    return this.#options.clock.now()
  }
}
