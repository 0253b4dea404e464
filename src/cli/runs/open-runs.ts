import type { Activity } from '../../activity/index.js'
import { systemClock } from '../../clock/index.js'
import { type CustomHandler, findRun, type RunHost, type RunRecord } from '../../engine/index.js'
import { type Home, openHome } from '../../host/home/index.js'
import { openHomeStore } from '../../host/index.js'
import { openRuns } from '../../runs/index.js'
import type { EventStore } from '../../store/index.js'
import type { CommandContext } from '../context.js'

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
    clock: systemClock,
    dataDirectory: home.settings.dataDirectory,
    envPass: home.settings.envPass,
    env: context.env,
    isPersonal: true,
    maxRuns: 1,
    ...(home.settings.settingsFile !== undefined && { settingsFile: home.settings.settingsFile }),
    ...(home.settings.approvals && { policy: home.settings.approvals }),
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
