import type { Clock, Timer } from '../clock/index.js'
import { type Performer, RunningSteps, type Workflow } from '../engine/index.js'
import { errorAbout } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import { isBlobsAway } from '../store/blobs/index.js'
import type { NewEvent } from '../store/index.js'
import type { WorkerInventory } from './inventory.js'
import type { Report, SavedWorkspace, ServerMessage, StepNeeds, WantedStep, WorkerMessage } from './protocol.js'
import { type StartedStep, StepFiles } from './step-files.js'

/** How soon a step that waits for the blob store of the servers is tried again. */
const BLOBS_RETRY_MS = 5_000

/** How a worker reaches the servers. */
export interface ServerPort {
  /** Dropped while no server is connected: everything is sent again after the next welcome. */
  send(message: WorkerMessage): void
  /** Waits for a server; rejects with its error. */
  call(method: string, params: Record<string, unknown>, signal?: AbortSignal): Promise<unknown>
}

export interface WorkerStepsOptions {
  directory: string
  clock: Clock
  performers: Readonly<Record<string, Performer>>
  workflows: readonly Workflow<never>[]
  server: ServerPort
  workspaces: WorkspacePort
  /** Ends processes of the step that an earlier start of this worker left running. */
  endProcesses(name: string): Promise<void>
  /**
   * Asked before each step starts: what ends the steps if this process cannot must know of it.
   */
  mayStart(): Promise<boolean>
  /** No server was reached for so long that another worker may have the runs. */
  isCutOff(): boolean
  onError(error: unknown): void
}

/** The workspaces of runs on this machine. */
export interface WorkspacePort {
  /** Makes the workspace of a run ready; what it returns has paths of this machine. */
  prepare(run: string, needs: StepNeeds): Promise<StepNeeds>
  /**
   * Called after a step, before its end is reported: stores the workspace where another worker
   * finds it.
   */
  save(run: string, needs: StepNeeds): Promise<SavedWorkspace | null>
  /** A report with paths of the server. */
  withServerPaths<T>(run: string, needs: StepNeeds, report: T): T
}

interface Attempt {
  started: StartedStep
  /** Null if an earlier start of this worker began the step. */
  steps: RunningSteps | null
  /** Its needs, with paths of this machine. */
  ready: StepNeeds | null
  end: Report | null
  /** Its workspace cannot be made until the blob store of the servers works again. */
  isWaiting: boolean
  seq: number
  unacknowledged: Extract<Report, { is: 'event' }>[]
}

/**
 * The steps that a worker performs. It compares what a server wants with what it has: it begins
 * missing steps, reports ended ones, continues or gives up those that an earlier start began, and
 * stops unwanted ones.
 */
export class WorkerSteps {
  readonly #options: WorkerStepsOptions
  readonly #files: StepFiles
  /** By run and key. */
  readonly #attempts = new Map<string, Attempt>()
  readonly #terms = new Map<string, number>()
  /** The pending work on messages, by run: one message at a time. */
  readonly #working = new Map<string, Promise<void>>()
  /** The newest message about each run, and when it is tried again. */
  readonly #newest = new Map<string, { message: Extract<ServerMessage, { type: 'wanted' }>; retry: Timer | null }>()

  constructor(options: WorkerStepsOptions) {
    this.#options = options
    this.#files = new StepFiles(options.directory)
    for (const { started, end } of this.#files.all())
      this.#attempts.set(nameOf(started.run, started.key), {
        started,
        end,
        steps: null,
        ready: null,
        isWaiting: false,
        seq: 0,
        unacknowledged: [],
      })
  }

  get runs(): string[] {
    return [...new Set([...this.#attempts.values()].map(({ started }) => started.run))]
  }

  /** The names of the steps that have not ended: their processes have them as marks. */
  get names(): string[] {
    return [...this.#attempts.values()].flatMap(({ started, end }) =>
      end === null ? [`${started.run}/${started.step}`] : [],
    )
  }

  /** The attempts that have not ended. */
  get open(): WorkerInventory['steps'] {
    return [...this.#attempts.values()].flatMap(({ started: { run, step, key }, end }) =>
      end === null ? [{ run, step, key }] : [],
    )
  }

  /** Steps in progress. */
  get count(): number {
    return [...this.#attempts.values()].filter(({ steps, end }) => steps !== null && end === null).length
  }

  wanted(message: Extract<ServerMessage, { type: 'wanted' }>): void {
    const before = this.#working.get(message.run) ?? Promise.resolve()
    this.#newest.get(message.run)?.retry?.cancel()
    this.#newest.set(message.run, { message, retry: null })
    const failed = (error: unknown) => {
      if (isBlobsAway(error)) this.#retryLater(message)
      else this.#options.onError(errorAbout(message.run, error))
    }
    const work = before.then(() => this.#reconcile(message)).catch(failed)
    this.#working.set(message.run, work)
  }

  acknowledged(key: string, seq: number): void {
    const attempt = this.#attempts.get(key)
    if (attempt) attempt.unacknowledged = attempt.unacknowledged.filter(report => report.seq > seq)
  }

  /** A server is connected again: it gets what it may have missed. */
  reportAll(): void {
    for (const attempt of this.#attempts.values()) {
      for (const report of attempt.unacknowledged) this.#send(attempt, report)
      if (attempt.end) this.#send(attempt, attempt.end)
    }
  }

  /**
   * Stops everything: no server was reachable for too long, so another worker may have the runs.
   */
  async giveUp(): Promise<void> {
    const open = [...this.#attempts.values()].filter(({ end }) => end === null)
    // At the same time: one that is slow to stop must not keep the others.
    const stopped = open.map(async attempt => {
      const { run, step } = attempt.started
      if (attempt.steps) await attempt.steps.stop('fenced')
      else await this.#options.endProcesses(`${run}/${step}`)
      if (attempt.end === null) this.#end(attempt, { is: 'lost' })
    })
    await Promise.all(stopped)
  }

  /** Stops without recording an end: the next start of this worker reports the steps as lost. */
  async close(): Promise<void> {
    for (const { retry } of this.#newest.values()) retry?.cancel()
    for (const { steps } of this.#attempts.values()) await steps?.stop('released')
  }

  /** Unless a newer message about the run comes first. */
  #retryLater(message: Extract<ServerMessage, { type: 'wanted' }>): void {
    const newest = this.#newest.get(message.run)
    if (newest?.message !== message) return
    newest.retry = this.#options.clock.setTimer(BLOBS_RETRY_MS, () => this.wanted(message))
  }

  async #reconcile({ run, term, steps }: Extract<ServerMessage, { type: 'wanted' }>): Promise<void> {
    if (term !== null) {
      if (term < (this.#terms.get(run) ?? 0)) return
      this.#terms.set(run, term)
    }
    const keys = new Set(steps.map(({ key }) => key))
    for (const [name, attempt] of [...this.#attempts]) {
      if (attempt.started.run !== run || keys.has(attempt.started.key)) continue
      if (!attempt.end) await this.#drop(attempt)
      this.#attempts.delete(name)
      this.#files.remove(attempt.started)
    }
    for (const wanted of steps) await this.#ensure(run, wanted)
  }

  async #ensure(run: string, wanted: WantedStep): Promise<void> {
    const known = this.#attempts.get(nameOf(run, wanted.key))
    if (known?.end) return this.#send(known, known.end)
    if (known?.isWaiting) return this.#perform(known)
    if (known?.steps) return
    if (known && known.started.do === 'run') return this.#continue(known)
    const needs = (await this.#options.server.call('step.needs', { run, ...wanted })) as StepNeeds | null
    if (needs) await this.#begin({ run, ...wanted, needs })
  }

  async #begin(started: StartedStep): Promise<void> {
    this.#files.start(started)
    const attempt: Attempt = {
      started,
      steps: null,
      ready: null,
      end: null,
      isWaiting: false,
      seq: 0,
      unacknowledged: [],
    }
    this.#attempts.set(nameOf(started.run, started.key), attempt)
    await this.#perform(attempt)
  }

  async #perform(attempt: Attempt): Promise<void> {
    const { started } = attempt
    try {
      const steps = await this.#open(attempt)
      attempt.isWaiting = false
      const mayStart = await this.#options.mayStart()
      // In the meantime it may have been given up.
      if (attempt.end) return
      if (!mayStart) return this.#end(attempt, { is: 'lost' })
      const needs = attempt.ready ?? started.needs
      if (started.do === 'recover') steps.recover(started.step, needs.effect, needs.input)
      else steps.begin(started.step, { ...needs, version: 0 })
    } catch (error) {
      if (isBlobsAway(error)) {
        if (!attempt.isWaiting) this.#notice(attempt, `the step waits for the files of its run: ${error.message}`)
        attempt.isWaiting = true
        throw error
      }
      this.#options.onError(errorAbout(`${started.run}/${started.step}`, error))
      this.#end(attempt, { is: 'ended', status: 'failed', reason: (error as Error).message })
    }
  }

  /** An earlier start of this worker began it. */
  async #continue(attempt: Attempt): Promise<void> {
    const { started } = attempt
    const steps = await this.#open(attempt)
    if (await steps.takeOver(started.step, { ...(attempt.ready ?? started.needs), version: 0 })) return
    await this.#options.endProcesses(`${started.run}/${started.step}`)
    this.#end(attempt, { is: 'lost' })
  }

  /** Stops a step of a run that ended, was paused, or moved. */
  async #drop({ started, steps }: Attempt): Promise<void> {
    await steps?.stop('cancelled')
    if (!steps) await this.#options.endProcesses(`${started.run}/${started.step}`)
  }

  async #open(attempt: Attempt): Promise<RunningSteps> {
    const { performers, workflows, clock, workspaces } = this.#options
    const { run, step } = attempt.started
    const onError = (error: unknown) => this.#options.onError(errorAbout(`${run}/${step}`, error))
    const needs = await workspaces.prepare(run, attempt.started.needs)
    attempt.ready = needs
    const workflow = workflows.find(({ kind }) => kind === needs.kind) as unknown as Workflow | undefined
    const work = workflow?.load ? workflow.load(needs.work) : needs.work
    const steps: RunningSteps = new RunningSteps({
      run,
      performers,
      now: () => clock.now(),
      work: () => work,
      trace: () => needs.trace ?? null,
      costLeftUsd: () => needs.costLeftUsd,
      arrive: event => void this.#arrived(attempt, event).catch(onError),
      onSpent: () => {
        const [usage] = steps.usage
        if (usage) this.#send(attempt, { is: 'spent', usage })
      },
      onError,
    })
    attempt.steps = steps
    return steps
  }

  async #arrived(attempt: Attempt, event: NewEvent): Promise<void> {
    if (event.type === 'step.ended' || event.type === 'step.recovered') {
      // The keeper may have ended its processes while this one was stopped.
      if (this.#options.isCutOff()) return this.#end(attempt, { is: 'lost' })
      const saved = await this.#save(attempt)
      const { step: _, ...data } = event.data
      const end = event.type === 'step.ended' ? { is: 'ended', ...data } : { is: 'recovered', recovery: data }
      return this.#end(attempt, { ...end, ...saved } as Report)
    }
    if (event.type === 'step.lost') return this.#end(attempt, { is: 'lost' })
    this.#record(attempt, event)
  }

  async #save(attempt: Attempt): Promise<{ saved?: SavedWorkspace; unsaved?: string }> {
    const { run, needs } = attempt.started
    if (!needs.workspace) return { unsaved: 'it works in a directory without git' }
    try {
      const saved = await this.#options.workspaces.save(run, needs)
      return saved ? { saved } : {}
    } catch (error) {
      const { message } = error as Error
      this.#notice(attempt, `the workspace was not saved; the files of this step are lost if its worker is: ${message}`)
      return { unsaved: message }
    }
  }

  #notice(attempt: Attempt, text: string): void {
    this.#record(attempt, newEvent('run.notice', { level: 'warning', text, step: attempt.started.step }))
  }

  #record(attempt: Attempt, event: NewEvent): void {
    const { started } = attempt
    const home = this.#options.workspaces.withServerPaths(started.run, started.needs, event)
    const report = { is: 'event' as const, seq: ++attempt.seq, event: { at: this.#options.clock.now(), ...home } }
    attempt.unacknowledged.push(report)
    this.#send(attempt, report)
  }

  #end(attempt: Attempt, end: Report): void {
    const { started } = attempt
    attempt.end = this.#options.workspaces.withServerPaths(started.run, started.needs, end)
    this.#files.end(started, attempt.end)
    this.#send(attempt, attempt.end)
  }

  #send({ started: { run, step, key } }: Attempt, report: Report): void {
    this.#options.server.send({ type: 'report', run, step, key, report })
  }
}

function nameOf(run: string, key: string): string {
  return `${run}/${key}`
}
