import type {
  OpenStep,
  PlacedRun,
  RunState,
  RunSteps,
  RunStepsOptions,
  StepAbort,
  Usage,
  Workflow,
} from '../engine/index.js'
import { newEvent, pipelineEvents } from '../events/index.js'
import type { NewEvent } from '../store/index.js'
import { type Report, recoveryKey, type StepNeeds, stepKey, type WantedStep } from './protocol.js'

interface Wanted extends WantedStep {
  effect: string
  input: unknown
  startedAt: number
  usage: Usage | null
  /** The last event of the step that was taken. */
  seq: number
  /** Its end was taken. It stays wanted until the journal has the end, so that no end is lost. */
  isEndTaken: boolean
  /** The journal says that it waits for the files of the run. */
  isWaiting: boolean
}

/** Tells a worker what the run wants. */
export interface StepsHub {
  changed(steps: PlacedSteps): void
  released(steps: PlacedSteps, options: { isStopped: boolean }): void
  /** Its worker reported an event that a step cannot write. */
  refused(steps: PlacedSteps, type: string): void
}

export interface PlacedStepsOptions extends RunStepsOptions {
  workflow(): Workflow
  /** Carries out what needs no workspace. */
  local: RunSteps
  /** The effects that `local` performs. */
  isLocal(effect: string): boolean
}

/**
 * The steps of a run that a worker has: which of them are wanted there. The worker performs them
 * on its own, also while no server is reachable; what it reports is taken once, for the attempt
 * that is open.
 */
export class PlacedSteps implements RunSteps {
  readonly #hub: StepsHub
  readonly #run: PlacedRun
  readonly #options: PlacedStepsOptions
  readonly #wanted = new Map<string, Wanted>()
  /** The recoveries that the last turn asked for. */
  readonly #recovering = new Set<string>()

  constructor(hub: StepsHub, run: PlacedRun, options: PlacedStepsOptions) {
    this.#hub = hub
    this.#run = run
    this.#options = options
  }

  get id(): string {
    return this.#options.run
  }

  get term(): number {
    return this.#run.lease.epoch
  }

  get worker(): string | null {
    return this.#run.state()?.placed?.worker ?? null
  }

  get wanted(): WantedStep[] {
    return [...this.#wanted.values()].map(({ step, key, do: what }) => ({ step, key, do: what }))
  }

  get isEmpty(): boolean {
    return this.#wanted.size === 0 && this.#options.local.isEmpty
  }

  get usage(): readonly Usage[] {
    return [...this.#options.local.usage, ...[...this.#wanted.values()].flatMap(({ usage }) => usage ?? [])]
  }

  begin(step: string, open: OpenStep): void {
    const { effect, input, startedAt, version } = open
    if (this.#options.isLocal(effect)) return this.#options.local.begin(step, open)
    this.#addWanted({ step, key: stepKey(step, version), do: 'run', effect, input, startedAt })
  }

  async takeOver(step: string, open: OpenStep): Promise<boolean> {
    if (this.#options.isLocal(open.effect)) return this.#options.local.takeOver(step, open)
    this.begin(step, open)
    return true
  }

  recover(step: string, effect: string, input: unknown): void {
    if (this.#options.isLocal(effect)) return this.#options.local.recover(step, effect, input)
    this.#recovering.add(step)
    const key = recoveryKey(step, this.#run.state()?.placed?.epoch ?? 0)
    this.#addWanted({ step, key, do: 'recover', effect, input, startedAt: this.#options.now() })
  }

  keepOnly(wanted: ReadonlySet<string>): void {
    this.#options.local.keepOnly(wanted)
    for (const entry of [...this.#wanted.values()]) {
      if (entry.do === 'recover' ? this.#recovering.has(entry.step) : this.#isOpen(entry) && wanted.has(entry.step))
        continue
      this.#wanted.delete(entry.step)
      if (entry.do === 'run' && this.#isOpen(entry) && !entry.isEndTaken)
        this.#options.arrive(newEvent('step.ended', { step: entry.step, status: 'cancelled', result: null }))
    }
    this.#recovering.clear()
    this.#hub.changed(this)
  }

  /** A driver that is replaced leaves the steps to the next one: they continue on the worker. */
  async stop(why: Exclude<StepAbort['why'], 'unneeded'>): Promise<void> {
    const isStopped = why === 'paused' || why === 'cancelled'
    if (isStopped) this.#wanted.clear()
    this.#hub.released(this, { isStopped })
    await this.#options.local.stop(why)
  }

  /** What a worker needs for this attempt; null if it is no longer wanted. */
  needs(step: string, key: string): Omit<StepNeeds, 'workspace'> | null {
    const entry = this.#wanted.get(step)
    const state = this.#run.state()
    if (entry?.key !== key || !state) return null
    const workflow = this.#options.workflow()
    const { effect, input, startedAt } = entry
    const work = workflow.save ? workflow.save(state.work) : state.work
    return {
      kind: state.kind,
      effect,
      input,
      startedAt,
      work,
      costLeftUsd: this.#options.costLeftUsd(),
      cwd: state.cwd,
      ...(state.executable && { executable: state.executable, epoch: state.placed?.epoch ?? 1 }),
      ...(state.trace && { trace: state.trace }),
    }
  }

  /** Its worker cannot get the files of the run yet, and asks again. */
  waitsForFiles(step: string, key: string, reason: string): void {
    const entry = this.#wanted.get(step)
    if (entry?.key !== key || entry.isWaiting) return
    entry.isWaiting = true
    const text = `the step waits for the files of its run: ${reason}`
    this.#options.arrive(newEvent('run.notice', { level: 'warning', text, step }))
  }

  get state(): RunState | null {
    return this.#run.state()
  }

  /** Takes a report of the attempt that is open; others have no effect. */
  applyReport(step: string, key: string, report: Report): void {
    const entry = this.#wanted.get(step)
    if (entry?.key !== key || entry.isEndTaken) return
    const { arrive, onSpent } = this.#options
    switch (report.is) {
      case 'event':
        if (report.seq <= entry.seq) return
        entry.seq = report.seq
        if (!OF_A_STEP.has(report.event.type)) return this.#hub.refused(this, report.event.type)
        // The clock of the worker may be wrong: no event is before its step, or in the store's
        // future.
        return arrive({ ...(report.event as NewEvent), at: this.#within(entry, report.event.at) })
      case 'spent':
        entry.usage = report.usage as Usage
        return onSpent()
      case 'ended': {
        const { status, result = null, reason, usage } = report
        entry.isEndTaken = true
        this.#noteWorkspace(step, report)
        const spent = usage && { usage: usage as Usage }
        const foreign = this.#refuseForeign(result)
        if (foreign)
          return arrive(newEvent('step.ended', { step, status: 'failed', result: null, ...foreign, ...spent }))
        return arrive(
          newEvent('step.ended', { step, status, result, ...(reason !== undefined && { reason }), ...spent }),
        )
      }
      case 'lost':
        entry.isEndTaken = true
        return arrive(newEvent('step.lost', { step }))
      case 'recovered':
        entry.isEndTaken = true
        this.#noteWorkspace(step, report)
        if (this.#refuseForeign(report.recovery.result))
          return arrive(newEvent('step.recovered', { step, verdict: 'nothing', evidence: [] }))
        return arrive({ type: 'step.recovered', data: { evidence: [], ...report.recovery, step } })
    }
  }

  #noteWorkspace(step: string, { saved, unsaved }: Pick<Extract<Report, { is: 'ended' }>, 'saved' | 'unsaved'>): void {
    const { arrive } = this.#options
    if (saved) arrive(newEvent('workspace.saved', saved))
    else if (unsaved !== undefined) arrive(newEvent('workspace.unsaved', { step, reason: unsaved.slice(0, 500) }))
  }

  /** A result may bring facts about the work with it, which the workflow writes with its end. */
  #refuseForeign(result: unknown): { reason: string } | null {
    const { events } = (result ?? {}) as { events?: unknown }
    const types = Array.isArray(events) ? events.map(event => String((event as { type?: unknown } | null)?.type)) : []
    const foreign = types.find(type => !OF_A_STEP.has(type))
    if (foreign === undefined) return null
    this.#hub.refused(this, foreign)
    return { reason: `its worker reported "${foreign.slice(0, 80)}", which a step cannot write` }
  }

  #addWanted(wanted: Omit<Wanted, 'usage' | 'seq' | 'isEndTaken' | 'isWaiting'>): void {
    if (this.#wanted.get(wanted.step)?.key === wanted.key) return
    this.#wanted.set(wanted.step, { ...wanted, usage: null, seq: 0, isEndTaken: false, isWaiting: false })
  }

  #within({ startedAt }: Wanted, at: number | undefined): number {
    const now = this.#options.now()
    return Math.min(Math.max(at ?? now, startedAt), now)
  }

  #isOpen({ step, key }: Wanted): boolean {
    const open = this.#run.state()?.steps.get(step)
    return open !== undefined && stepKey(step, open.version) === key
  }
}

/**
 * What a step may write into the journal of its run besides its end. An agent has the rights of its
 * worker: whatever else it reports could decide how the run continues, or be taken by the parts
 * that fold events of people, schedules and chats.
 */
const OF_A_STEP: ReadonlySet<string> = new Set([
  ...Object.keys(pipelineEvents),
  'step.spawned',
  'run.notice',
  'artifact.stored',
  'budget.warned',
])
