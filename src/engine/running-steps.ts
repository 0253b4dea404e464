import { toSignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import { isStoreLost } from '../store/index.js'
import { traced } from '../telemetry/index.js'
import type { OpenStep } from './run-state.js'
import type { RunSteps, RunStepsOptions } from './run-steps.js'
import { addUsage, type Usage } from './usage.js'
import { type Performer, type Recovery, StepAbort, type StepCall, type StepEnd } from './workflow.js'

interface Running {
  abort: AbortController
  done: Promise<void>
  usage: Usage | null
}

export interface RunningStepsOptions extends RunStepsOptions {
  performers: Readonly<Record<string, Performer>>
}

/** The steps of one run that run in this process, and those being recovered. */
export class RunningSteps implements RunSteps {
  readonly #options: RunningStepsOptions
  readonly #steps = new Map<string, Running>()
  readonly #recoveries = new Map<string, Running>()
  /** Steps whose end may not be written yet: they look open and must not start again. */
  readonly #ended = new Map<string, number>()

  constructor(options: RunningStepsOptions) {
    this.#options = options
  }

  get isEmpty(): boolean {
    return this.#steps.size + this.#recoveries.size === 0
  }

  get usage(): Usage[] {
    return [...this.#steps.values()].flatMap(({ usage }) => usage ?? [])
  }

  begin(step: string, open: OpenStep): void {
    if (this.#steps.has(step) || this.#ended.get(step) === open.startedAt) return
    this.#ended.delete(step)
    const performer = this.#options.performers[open.effect]
    this.#track(step, open, call =>
      performer
        ? performer.run(call)
        : Promise.resolve({ status: 'failed', reason: `no performer for "${open.effect}"` }),
    )
  }

  async takeOver(step: string, open: OpenStep): Promise<boolean> {
    const performer = this.#options.performers[open.effect]
    const running: Running = { abort: new AbortController(), done: Promise.resolve(), usage: null }
    const call = this.#call(step, open, running)
    try {
      const taken = await performer?.takeOver?.(call)
      if (taken) {
        this.#follow(step, open, running, taken.end)
        return true
      }
      await performer?.abandon?.(call)
    } catch (error) {
      this.#options.onError(error)
    }
    return false
  }

  recover(step: string, effect: string, input: unknown): void {
    if (this.#recoveries.has(step)) return
    const running: Running = { abort: new AbortController(), done: Promise.resolve(), usage: null }
    this.#recoveries.set(step, running)
    const call = this.#call(step, { effect, input, startedAt: this.#options.now(), version: 0 }, running)
    running.done = this.#recover(this.#options.performers[effect], call).then(recovery => {
      this.#recoveries.delete(step)
      if (recovery && !running.abort.signal.aborted)
        this.#options.arrive(newEvent('step.recovered', { ...recovery, step }))
    })
  }

  keepOnly(wanted: ReadonlySet<string>): void {
    for (const [step, { abort }] of this.#steps) if (!wanted.has(step)) abort.abort(new StepAbort('unneeded'))
  }

  /** Stops everything; resolves when nothing runs. Ends that arrive now are dropped. */
  async stop(why: Exclude<StepAbort['why'], 'unneeded'>): Promise<void> {
    const all = [...this.#steps.values(), ...this.#recoveries.values()]
    for (const { abort } of all) abort.abort(new StepAbort(why))
    await Promise.all(all.map(({ done }) => done))
  }

  #track(step: string, open: OpenStep, work: (call: StepCall) => Promise<StepEnd>): void {
    const running: Running = { abort: new AbortController(), done: Promise.resolve(), usage: null }
    this.#follow(
      step,
      open,
      running,
      traced(
        `step ${step.replace(/@.*/, '')}`,
        {
          parent: this.#options.trace?.(),
          attributes: { 'signalbox.run': this.#options.run, 'signalbox.step': step, 'signalbox.effect': open.effect },
        },
        // `async` turns a synchronous throw of a performer into a rejection.
        async () => work(this.#call(step, open, running)),
      ),
    )
  }

  #follow(step: string, { startedAt }: OpenStep, running: Running, end: Promise<StepEnd>): void {
    this.#steps.set(step, running)
    running.done = this.#endOf(end).then(ended => {
      this.#steps.delete(step)
      const { signal } = running.abort
      const isUnneeded = signal.aborted && (signal.reason as StepAbort).why === 'unneeded'
      if (signal.aborted && !isUnneeded) return
      this.#ended.set(step, startedAt)
      if (ended === 'lost') return this.#options.arrive(newEvent('step.lost', { step }))
      const { status, result, reason, usage } = ended
      this.#options.arrive(
        newEvent('step.ended', {
          step,
          status: isUnneeded ? 'cancelled' : status,
          result: result ?? null,
          ...(reason !== undefined && { reason }),
          ...(usage && { usage }),
        }),
      )
    })
  }

  /**
   * Never rejects: an error in a performer is the failure of its step. But a step whose store was
   * lost has no known end.
   */
  async #endOf(work: Promise<StepEnd>): Promise<StepEnd | 'lost'> {
    try {
      const end = await work
      requireJson(end, [])
      return end
    } catch (error) {
      if (!(error instanceof StepAbort)) this.#options.onError(error)
      if (isStoreLost(error)) return 'lost'
      return { status: 'failed', reason: toSignalboxError(error).message }
    }
  }

  /** Null if the store was lost: what was found is not known, and the next host looks again. */
  async #recover(performer: Performer | undefined, call: StepCall): Promise<Recovery | null> {
    try {
      return (await performer?.recover?.(call)) ?? { verdict: 'nothing', evidence: [] }
    } catch (error) {
      if (isStoreLost(error)) {
        this.#options.onError(error)
        return null
      }
      const says = `cannot recover the step: ${toSignalboxError(error).message}`
      return { verdict: 'nothing', evidence: [{ source: 'recovery', says }] }
    }
  }

  #call(step: string, { input, startedAt }: OpenStep, running: Running): StepCall {
    const { run, arrive, onSpent, work, costLeftUsd } = this.#options
    return {
      run,
      step,
      input,
      work,
      name: `${run}/${step}`,
      signal: running.abort.signal,
      startedAt,
      costLeftUsd: costLeftUsd(),
      spent: usage => {
        running.usage = usage
        onSpent()
      },
      notice: (level, text) => arrive(newEvent('run.notice', { level, text, step })),
      record: event => {
        if (!running.abort.signal.aborted) arrive(event)
      },
    }
  }
}

/**
 * A result that JSON cannot represent is the failure of the step, not of the journal. Checked
 * without serializing, because results may be large.
 */
function requireJson(value: unknown, within: readonly object[]): void {
  if (typeof value === 'bigint') throw new TypeError('the result of the step is not JSON: it contains a bigint')
  if (typeof value !== 'object' || value === null) return
  if (within.includes(value)) throw new TypeError('the result of the step is not JSON: it contains itself')
  if (within.length > DEPTH_MAX) throw new TypeError('the result of the step is nested too deeply')
  const inner = [...within, value]
  for (const part of Object.values(value)) requireJson(part, inner)
}

const DEPTH_MAX = 500

export function sumOf(usages: readonly Usage[], start: Usage): Usage {
  return usages.reduce(addUsage, start)
}
