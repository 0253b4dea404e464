import { systemClock } from '../../clock/index.js'
import { findRun, type RunRecord } from '../../engine/index.js'
import { type Home, openHome } from '../../host/home/index.js'
import { openHomeStore } from '../../host/index.js'
import type { Asker, StartContext, TrustQuestion } from '../../runs/index.js'
import type { EventStore } from '../../store/index.js'
import { visibleText } from '../../text/index.js'
import { askLine, askYes } from '../ask.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'

/** Opens the store of the home directory for a command; needs no daemon. */
export async function withStore<T>(
  context: CommandContext,
  work: (store: EventStore, home: Home) => Promise<T>,
): Promise<T> {
  const home = openHome(context)
  const store = await openHomeStore({
    ...home.settings,
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

const SHOWN_LINES = 60
const SHOWN_COMMANDS = 12

/** Asks the person at this terminal. */
export function terminalAsker(context: CommandContext): Asker {
  return {
    trust: question => askTrust(context, question),
    confirm: askYes,
  }
}

/** Shows which files would run, what is new or changed, and the commands in them. */
async function askTrust({ out, style }: CommandContext, { found, check, difference }: TrustQuestion): Promise<boolean> {
  out(style('bold', `Trust these files of ${visibleText(found.project)}?`))
  out('Commands in them run as you, with your permissions.')
  for (const file of check.added) out(`  ${style('yellow', 'new')}      ${visibleText(file)}`)
  for (const file of check.changed) {
    out(`  ${style('yellow', 'changed')}  ${visibleText(file)}`)
    const lines = ((await difference(file)) ?? '').split('\n')
    for (const line of lines.slice(0, SHOWN_LINES)) out(`    ${style('dim', visibleText(line))}`)
    if (lines.length > SHOWN_LINES) out(style('dim', `    … ${lines.length - SHOWN_LINES} more lines`))
  }
  if (found.commands.length > 0) out('They run:')
  for (const command of found.commands.slice(0, SHOWN_COMMANDS))
    out(`  ${style('cyan', visibleText(command.replace(/\s+/g, ' ')).slice(0, 200))}`)
  if (found.commands.length > SHOWN_COMMANDS) out(`  … and ${found.commands.length - SHOWN_COMMANDS} more commands`)
  return /^y(es)?$/i.test((await askLine('yes or [no]: ')).trim())
}
