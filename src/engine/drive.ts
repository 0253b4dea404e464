import type { Clock, Timer } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import type { NewEvent } from '../store/index.js'
import { traced } from '../telemetry/index.js'
import type { RunState } from './run-state.js'
import { isEnded, type RunStatus } from './run-status-table.js'
import type { RunSteps, RunStepsOptions } from './run-steps.js'
import { RunningSteps, sumOf } from './running-steps.js'
import { nextTurnAt, type RunTurnOptions, RunTurns } from './turn.js'
import type { Usage } from './usage.js'
import type { Performer, WorkflowCommand } from './workflow.js'

export interface DriverOptions<Work> extends RunTurnOptions<Work> {
  performers: Readonly<Record<string, Performer>>
  clock: Clock
  /** Return when only people, timers or other runs can make progress. */
  park: boolean
  /** Keeps a run from parking while this process still works on it elsewhere. */
  isNeeded?(): boolean
  onError(error: unknown): void
}

export type DriveEnd =
  | { state: 'ended'; status: RunStatus }
  | { state: 'paused' }
  /** Parked: there is nothing to do until an event arrives from outside. */
  | { state: 'waiting' }
  /** Another process drives the run. */
  | { state: 'fenced' }
  /** Released in an orderly way; the next host takes over. */
  | { state: 'released' }

/**
 * Drives one run: takes its turns, performs the work that each turn asks for, and passes the
 * results to the next one. Each turn is one transaction: the end of a step, everything that
 * follows from it and the announcement of the next steps are written together, and only then do
 * those steps start. So after a crash, everything that had ended is known, and everything that had
 * started has a name to look for.
 */
export class Driver<Work> {
  readonly #options: DriverOptions<Work>
  readonly #steps: RunSteps
  readonly #timers = new Map<string, Timer>()
  /** Gates whose automatic answer was given, or refused. */
  readonly #answered = new Set<string>()
  #turns: RunTurns<Work> | null = null
  #arrived: NewEvent[] = []
  #isWoken = false
  #mustCatchUp = false
  #isReleased = false
  #mayPark: boolean
  #endWait: (() => void) | null = null

  constructor(options: DriverOptions<Work>) {
    this.#options = options
    this.#mayPark = options.park
    const stepsOptions: RunStepsOptions = {
      run: options.run,
      now: () => options.clock.now(),
      work: () => this.state?.work,
      trace: () => this.state?.trace ?? null,
      costLeftUsd: () => {
        const { limits, usage } = this.state ?? { limits: {}, usage: { costUsd: 0 } }
        return limits.costUsd === undefined ? null : Math.max(0, limits.costUsd - (usage.costUsd ?? 0))
      },
      arrive: event => this.#arrive(event),
      onSpent: () => this.#onSpent(),
      onError: options.onError,
    }
    const { lease, placer, performers } = options
    const placed = placer?.stepsFor({ lease, state: () => this.state as RunState | null }, stepsOptions)
    this.#steps = placed ?? new RunningSteps({ ...stepsOptions, performers })
  }

  /** Runs until the run ends, pauses, waits (when parking) or is taken over. */
  async drive(): Promise<DriveEnd> {
    const turns = await RunTurns.open(this.#options)
    this.#turns = turns
    try {
      await this.#takeOver(turns.run)
      for (;;) {
        const end = await this.#turn(turns)
        if (end) return end
        await this.#wait()
      }
    } catch (error) {
      if (error instanceof SignalboxError && error.code === 'E_FENCED') return { state: 'fenced' }
      throw error
    } finally {
      for (const timer of this.#timers.values()) timer.cancel()
      await this.#steps.stop(this.#stopReason(turns.run.status))
    }
  }

  /** Another process appended to the run, up to this version. */
  wake(version: number): void {
    if (this.#turns && version <= this.#turns.run.version) return
    this.#mustCatchUp = true
    this.#wake()
  }

  /** Stops in an orderly way, without pausing the run: another host will continue it. */
  release(): void {
    this.#isReleased = true
    this.#wake()
  }

  get mayPark(): boolean {
    return this.#mayPark
  }

  /** No person is there to answer any more: the run parks as soon as it only waits. */
  startParking(): void {
    this.#mayPark = true
    this.#wake()
  }

  get state(): RunState<Work> | null {
    return this.#turns?.run ?? null
  }

  async #turn(turns: RunTurns<Work>): Promise<DriveEnd | null> {
    for (;;) {
      if (this.#isReleased) return { state: 'released' }
      if (this.#mustCatchUp) {
        this.#mustCatchUp = false
        await turns.catchUp()
        continue
      }
      const arrived = this.#arrived
      this.#arrived = []
      // This turn is about everything until now.
      this.#isWoken = false
      const usage = (spent: Usage) => sumOf(this.#steps.usage, spent)
      const span = { parent: turns.run.trace, attributes: { 'signalbox.run': turns.run.id } }
      const commands = await traced('turn', span, () => turns.takeTurn(arrived, { at: this.#now(), usage }))
      if (!commands) {
        this.#arrived = [...arrived, ...this.#arrived]
        continue
      }
      const { run } = turns
      const { status } = run
      if (isEnded(status)) return { state: 'ended', status }
      if (status === 'paused') return { state: 'paused' }
      this.#carryOut(run, commands)
      if (await this.#answerGates(run, commands)) {
        this.#mustCatchUp = true
        continue
      }
      return status === 'waiting' && this.#mayParkNow(run) ? { state: 'waiting' } : null
    }
  }

  /** Gives automatic answers and applies grants, each once; true if the ledger took one. */
  async #answerGates(run: RunState<Work>, commands: readonly WorkflowCommand[]): Promise<boolean> {
    const { gates, onError } = this.#options
    let isAnswered = false
    for (const command of commands) {
      const approval = command.do === 'gate' ? run.gates.get(command.gate)?.approval : undefined
      if (command.do !== 'gate' || !gates || approval === undefined || this.#answered.has(approval)) continue
      const { automatic, request } = command
      if (!automatic && request.kind !== 'permission') continue
      this.#answered.add(approval)
      try {
        const answer = automatic ? gates.answer(approval, automatic) : gates.grant(approval)
        isAnswered = (await answer) || isAnswered
      } catch (error) {
        onError(error)
      }
    }
    return isAnswered
  }

  /** A timer that is already due fires here, so the run does not park. */
  #mayParkNow(run: RunState<Work>): boolean {
    const { isNeeded } = this.#options
    if (!this.#mayPark || !this.#steps.isEmpty || isNeeded?.()) return false
    const due = nextTurnAt(run as RunState)
    return due === null || due > this.#now()
  }

  #carryOut(run: RunState<Work>, commands: readonly WorkflowCommand[]): void {
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
          this.#arrive(newEvent('gate.expired', { gate, approval, reason: 'not answered in time' }))
      })
    }
    if (run.limits.timeMs !== undefined && run.runningSince !== null)
      this.#arm(`limit ${run.limits.timeMs}`, run.runningSince + run.limits.timeMs - run.ranMs, () => this.#wake())
  }

  #arm(name: string, due: number, callback: () => void): void {
    if (this.#timers.has(name)) return
    const timer = this.#options.clock.setTimer(Math.max(0, due - this.#now()), () => {
      this.#timers.delete(name)
      callback()
    })
    this.#timers.set(name, timer)
  }

  /** Steps that a previous host started: taken over if they still run, else lost. */
  async #takeOver(run: RunState<Work>): Promise<void> {
    if (isEnded(run.status) || run.status === 'paused') return
    for (const [step, open] of run.steps) {
      if (!(await this.#steps.takeOver(step, open))) this.#arrived.push(newEvent('step.lost', { step }))
    }
  }

  #stopReason(status: RunStatus): 'released' | 'paused' | 'cancelled' | 'fenced' {
    if (this.#isReleased) return 'released'
    if (status === 'paused') return 'paused'
    return isEnded(status) ? 'cancelled' : 'fenced'
  }

  #onSpent(): void {
    if (this.state && Object.keys(this.state.limits).length > 0) this.#wake()
  }

  #wait(): Promise<void> {
    if (this.#isWoken) {
      this.#isWoken = false
      return Promise.resolve()
    }
    return new Promise(resolve => {
      this.#endWait = resolve
    })
  }

  /** Is remembered when the driver is not waiting at the moment. */
  #wake(): void {
    const wake = this.#endWait
    this.#endWait = null
    if (wake) wake()
    else this.#isWoken = true
  }

  #arrive(event: NewEvent): void {
    this.#arrived.push({ at: this.#now(), ...event })
    this.#wake()
  }

  #now(): number {
    return this.#options.clock.now()
  }
}
