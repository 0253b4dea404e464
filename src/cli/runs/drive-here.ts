import { createInterface } from 'node:readline/promises'
import type { Activity } from '../../activity/index.js'
import { getRun, pauseRun, type RunRecord } from '../../engine/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { EventStore, StoredEvent } from '../../store/index.js'
import type { CommandContext } from '../context.js'
import type { Home } from '../home.js'
import { openOwnRuns } from './open-runs.js'

export interface RunListener {
  /** Events of the run from now on. */
  event(event: StoredEvent): void
  activity(activity: Activity): void
}

/** Drives a run in this process until it ends, pauses, or needs somebody who is not here; ctrl-C interrupts it cleanly, twice at once. */
export async function driveHere(
  context: CommandContext,
  store: EventStore,
  home: Home,
  id: string,
  listener: RunListener,
): Promise<RunRecord> {
  const before = await store.readStream(`run/${id}`)
  const subscription = store.subscribe({ after: before.at(-1)!.position }, events => {
    for (const event of events) if (event.stream === `run/${id}`) listener.event(event)
  })
  const host = openOwnRuns(context, home, store, { onActivity: (_, activity) => listener.activity(activity) })
  const restore = onInterrupt(async signal => {
    context.note(`interrupting; go on with: signalbox resume ${id}`)
    await pauseRun(store, id, { by: 'local', reason: signal === 'SIGINT' ? 'sigint' : 'sigterm' }).catch(
      () => undefined,
    )
  })
  try {
    const end = await host.driveHere(await getRun(store, id), { park: !context.isInteractive })
    await subscription.poll()
    if (end.state === 'fenced')
      throw new SignalboxError('E_LEASE', `run ${id} is driven by another process`, { next: `signalbox logs -f ${id}` })
    return await getRun(store, id)
  } finally {
    restore()
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
