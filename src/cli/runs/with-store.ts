import { systemClock } from '../../clock/index.js'
import { findRun, type RunRecord } from '../../engine/index.js'
import { type Home, openHome } from '../../host/home/index.js'
import { openHomeStore } from '../../host/index.js'
import type { StartContext } from '../../runs/index.js'
import type { EventStore } from '../../store/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { terminalAsker } from './terminal-asker.js'

/** Opens the store of the home directory for a command; needs no daemon. */
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

/** A command that starts or resumes runs. With `mayAsk`, a person at the terminal is asked. */
export function withRuns<T>(
  context: CommandContext,
  { mayAsk }: { mayAsk: boolean },
  work: (start: StartContext) => Promise<T>,
): Promise<T> {
  return withStore(context, (store, home) =>
    work({
      store,
      home,
      env: context.env,
      cwd: context.cwd,
      clock: systemClock,
      person: 'local',
      asker: mayAsk && context.isInteractive ? terminalAsker(context) : null,
      requireDaemon: async () => void (await DaemonClient.connect(context)),
    }),
  )
}

/** A run by its id, a unique prefix of it, or `latest` in this directory. */
export function findRunFor(context: CommandContext, store: EventStore, word: string): Promise<RunRecord> {
  return findRun(store, word, context.cwd)
}

/** Errors in the background, which stop nothing; printed with SIGNALBOX_DEBUG. */
export function reportError(context: CommandContext, error: unknown): void {
  if (context.env.SIGNALBOX_DEBUG) context.note(error instanceof Error ? (error.stack ?? error.message) : String(error))
}
