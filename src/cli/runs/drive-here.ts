import { createInterface } from 'node:readline/promises'
import type { Activity } from '../../activity/index.js'
import { type CustomHandler, getRun, pauseRun, type RunRecord } from '../../engine/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { RunGates } from '../../runs/index.js'
import type { EventStore, StoredEvent } from '../../store/index.js'
import type { CommandContext } from '../context.js'
import type { Home } from '../home.js'
import { homeLedger, openOwnRuns, reportError } from './open-runs.js'

export interface RunListener {
  /** Events of the run from now on. */
  event(event: StoredEvent): void
  activity(activity: Activity): void
  /** Answers gates here and now; left out: they wait in the ledger. */
  answerGate?(gates: RunGates, approval: string, signal: AbortSignal): Promise<void>
}

/** Tells the events of a run as it goes: to the person, or, without `progress`, as lines of JSON. */
export function tellAs(context: CommandContext, progress: Pick<RunListener, 'event' | 'activity'> | null): RunListener {
  return {
    event: event => (progress ? progress.event(event) : context.json(event)),
    activity: activity => progress?.activity(activity),
  }
}

export interface DriveHereOptions {
  /** Handlers of graphs that the user brought. */
  handlers?: Readonly<Record<string, CustomHandler>>
  functions?: Readonly<Record<string, CustomHandler>>
  /** Stays while the run waits for people. */
  stays?: boolean
}

/** Drives a run in this process until it ends, pauses, or needs somebody who is not here; ctrl-C interrupts it cleanly, twice at once. */
export async function driveHere(
  context: CommandContext,
  store: EventStore,
  home: Home,
  id: string,
  listener: RunListener,
  { handlers, functions, stays = context.isInteractive }: DriveHereOptions = {},
): Promise<RunRecord> {
  const before = await store.readStream(`run/${id}`)
  const gates = new RunGates(homeLedger(context, store, home), store)
  const family = new Set([id])
  const open = new Map<string, AbortController>()
  let asking: Promise<void> = Promise.resolve()
  const ask = (approval: string) => {
    const { answerGate } = listener
    if (!answerGate) return
    const abort = new AbortController()
    open.set(approval, abort)
    // One question after the other: there is one person.
    asking = asking
      .then(() => (abort.signal.aborted ? undefined : answerGate.call(listener, gates, approval, abort.signal)))
      .catch(error => {
        // A refusal is the answer to what the person has just typed; the gate waits for another surface.
        if (error instanceof SignalboxError) context.note([error.message, error.next].filter(Boolean).join('; '))
        else reportError(context, error)
      })
  }
  for (const approval of Object.values((await getRun(store, id)).gates)) ask(approval)
  const subscription = store.subscribe({ after: before.at(-1)!.position }, events => {
    for (const event of events) {
      const run = event.stream.startsWith('run/') ? event.stream.slice('run/'.length) : null
      if (run === null) continue
      const parent = (event.data.parent as { run?: string } | undefined)?.run
      if (event.type === 'run.created' && parent !== undefined && family.has(parent)) family.add(run)
      // A question that is over leaves its line before anything else is said.
      if (event.type === 'gate.answered' || event.type === 'gate.expired')
        open.get(String(event.data.approval))?.abort()
      if (run === id) listener.event(event)
      if (event.type === 'gate.opened' && family.has(run)) ask(String(event.data.approval))
    }
  })
  const host = openOwnRuns(context, home, store, {
    onActivity: (_, activity) => listener.activity(activity),
    ...(handlers && { handlers }),
    ...(functions && { functions }),
  })
  const restore = onInterrupt(async signal => {
    context.note(`interrupting; go on with: signalbox resume ${id}`)
    await pauseRun(store, id, { by: 'local', reason: signal === 'SIGINT' ? 'sigint' : 'sigterm' }).catch(
      () => undefined,
    )
  })
  try {
    const end = await host.driveHere(await getRun(store, id), { park: !stays })
    await subscription.poll()
    if (end.state === 'fenced')
      throw new SignalboxError('E_LEASE', `run ${id} is driven by another process`, { next: `signalbox logs -f ${id}` })
    return await getRun(store, id)
  } finally {
    restore()
    for (const abort of open.values()) abort.abort()
    await asking
    await host.close()
    subscription.close()
  }
}

/** The first signal interrupts in good order, the second ends at once: what is written is written. */
export function onInterrupt(first: (signal: NodeJS.Signals) => Promise<void>): () => void {
  let count = 0
  const handle = (signal: NodeJS.Signals) => {
    count++
    if (count === 1) void first(signal)
    else process.exit(EXIT.interrupted)
  }
  process.on('SIGINT', handle)
  process.on('SIGTERM', handle)
  return () => {
    process.off('SIGINT', handle)
    process.off('SIGTERM', handle)
  }
}

/** One line from the person at the terminal. */
export async function askLine(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await lines.question(question)
  } finally {
    lines.close()
  }
}
