import type { Activity } from '../activity/index.js'
import type { ApprovalRecord } from '../approvals/index.js'
import { type CustomHandler, getRun, type RunRecord, runStream } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import type { StoredEvent } from '../store/index.js'
import { createRunHost } from './create-run-host.js'
import { profileReader } from './pipelines/read-profile.js'
import { type DecideInDaemon, drivingLedger, RunGates } from './run-gates.js'
import type { StartContext } from './start-context.js'

/** What happens in a run while this process drives it. */
export interface RunListener {
  event(event: StoredEvent): void
  activity(activity: Activity): void
  /** An agent of the run waits for a decision, in its terminal or through the ledger. */
  asks?(request: ApprovalRecord): void
  /**
   * Answers a gate now; left out, gates wait in the ledger. The signal aborts once it is answered
   * elsewhere. `gone`: no answer will come from here any more.
   */
  answerGate?(gates: RunGates, approval: string, signal: AbortSignal): Promise<'gone' | undefined>
  /** Decides what `answerGate` answers. If absent, this process decides. */
  decide?: DecideInDaemon
}

export interface DriveRunOptions {
  /** Handlers and functions of the user's own module. */
  handlers?: Readonly<Record<string, CustomHandler>> | undefined
  functions?: Readonly<Record<string, CustomHandler>> | undefined
  /**
   * Keeps driving while the run waits for a person; else it returns and the run stays in the store.
   */
  stays: boolean
  onError(error: unknown): void
}

/**
 * Drives a run in this process until it ends, is paused, or (without `stays`) needs a person.
 * @throws SignalboxError `E_LEASE` if another process drives it.
 */
export async function driveRun(
  { store, home, env, clock }: Pick<StartContext, 'store' | 'home' | 'env' | 'clock'>,
  id: string,
  listener: RunListener,
  { handlers, functions, stays, onError }: DriveRunOptions,
): Promise<RunRecord> {
  const before = await store.readStream(runStream(id))
  const ledger = drivingLedger({ store, home, env })
  const questions = new GateQuestions(listener, new RunGates(ledger, store, listener.decide), onError)
  for (const approval of Object.values((await getRun(store, id)).gates)) questions.ask(approval)
  /** The run and the runs that it starts: their gates are answered here too. */
  const runAndDescendants = new Set([id])
  const subscription = store.subscribe({ after: before.at(-1)!.position }, events => {
    for (const event of events) {
      const run = event.stream.startsWith('run/') ? event.stream.slice('run/'.length) : null
      if (run === null) continue
      const parent = (event.data.parent as { run?: string } | undefined)?.run
      if (event.type === 'run.created' && parent !== undefined && runAndDescendants.has(parent))
        runAndDescendants.add(run)
      // A question that was answered elsewhere leaves the screen before anything else is printed.
      if (event.type === 'gate.answered' || event.type === 'gate.expired') questions.close(String(event.data.approval))
      if (run === id) listener.event(event)
      const isAsked = event.type === 'gate.opened' && event.data.isAutomatic !== true
      if (isAsked && runAndDescendants.has(run)) questions.ask(String(event.data.approval))
    }
  })
  const { settings } = home
  const host = createRunHost({
    store,
    ledger,
    clock,
    dataDirectory: settings.dataDirectory,
    envPass: settings.envPass,
    sandboxes: settings,
    env,
    isInteractive: true,
    maxRuns: 1,
    readProfile: profileReader({ home, env }),
    ...(settings.endpoint && { endpoint: settings.endpoint }),
    ...(settings.prices && { prices: settings.prices }),
    ...(settings.maxParallel && { maxParallel: settings.maxParallel }),
    ...(settings.commands && { commands: settings.commands }),
    ...(handlers && { handlers }),
    ...(functions && { functions }),
    onActivity: (_, activity) => listener.activity(activity),
    onGateWaits: approval => questions.ask(approval),
    onError,
  })
  questions.onGone = () => host.startParking()
  try {
    const end = await host.driveHere(await getRun(store, id), { park: !stays })
    await subscription.poll()
    if (end.state === 'fenced')
      throw new SignalboxError('E_LEASE', `another process is running ${id}`, { next: `signalbox logs -f ${id}` })
    return await getRun(store, id)
  } finally {
    await questions.end()
    await host.close()
    subscription.close()
  }
}

/** Asks one question at a time: there is one person. */
class GateQuestions {
  readonly #listener: RunListener
  readonly #gates: RunGates
  readonly #onError: (error: unknown) => void
  readonly #open = new Map<string, AbortController>()
  #asking: Promise<void> = Promise.resolve()
  onGone: () => void = () => undefined

  constructor(listener: RunListener, gates: RunGates, onError: (error: unknown) => void) {
    this.#listener = listener
    this.#gates = gates
    this.#onError = onError
  }

  ask(approval: string): void {
    const listener = this.#listener
    if (!listener.answerGate) return
    const abort = new AbortController()
    this.#open.set(approval, abort)
    this.#asking = this.#asking
      .then(() => (abort.signal.aborted ? undefined : listener.answerGate?.(this.#gates, approval, abort.signal)))
      .then(how => {
        if (how === 'gone') this.onGone()
      })
      .catch(this.#onError)
  }

  close(approval: string): void {
    this.#open.get(approval)?.abort()
  }

  async end(): Promise<void> {
    for (const abort of this.#open.values()) abort.abort()
    await this.#asking
  }
}
