import type { Activity } from '../../activity/index.js'
import type { Ledger } from '../../approvals/index.js'
import { systemClock } from '../../clock/index.js'
import { type CustomHandler, findRun, type RunHost, type RunRecord } from '../../engine/index.js'
import { openHomeStore, openLedger } from '../../host/index.js'
import { openRuns } from '../../runs/index.js'
import type { EventStore } from '../../store/index.js'
import { createRedactor, secretsFromEnvironment } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { type Home, openHome } from '../home.js'

/** The store of this home, for commands that read runs or write to them: that needs no daemon. */
export async function withStore<T>(
  context: CommandContext,
  work: (store: EventStore, home: Home) => Promise<T>,
): Promise<T> {
  const home = openHome(context)
  const store = await openHomeStore({
    dataDirectory: home.settings.dataDirectory,
    clock: systemClock,
    onError: error => reportError(context, error),
  })
  try {
    return await work(store, home)
  } finally {
    await store.close()
  }
}

/** The ledger of this home: a command decides by the same rules as the daemon, and needs none for it. */
export function homeLedger(context: CommandContext, store: EventStore, home: Home): Ledger {
  const redactor = createRedactor({ secretValues: secretsFromEnvironment(context.env) })
  return openLedger({ store, clock: systemClock, settings: home.settings, redactor })
}

/** A run by what a person typed. */
export function findRunFor(context: CommandContext, store: EventStore, word: string): Promise<RunRecord> {
  return findRun(store, word, word === 'latest' ? context.cwd : undefined)
}

/** A host of this very process, for a run in the foreground. */
export function openOwnRuns(
  context: CommandContext,
  home: Home,
  store: EventStore,
  listeners: {
    onActivity?(run: string, activity: Activity): void
    handlers?: Readonly<Record<string, CustomHandler>>
    functions?: Readonly<Record<string, CustomHandler>>
  } = {},
): RunHost {
  return openRuns({
    store,
    ledger: homeLedger(context, store, home),
    clock: systemClock,
    dataDirectory: home.settings.dataDirectory,
    envPass: home.settings.envPass,
    env: context.env,
    isPersonal: true,
    maxRuns: 1,
    ...(home.settings.prices && { prices: home.settings.prices }),
    ...(home.settings.maxParallel && { maxParallel: home.settings.maxParallel }),
    ...(home.settings.commands && { commands: home.settings.commands }),
    onError: error => reportError(context, error),
    ...listeners,
  })
}

export function reportError(context: CommandContext, error: unknown): void {
  if (context.env.SIGNALBOX_DEBUG) context.note(error instanceof Error ? (error.stack ?? error.message) : String(error))
}
