import { SignalboxError } from '../../errors/index.js'
import type { EventStore } from '../../store/index.js'
import { visibleText } from '../../text/index.js'
import {
  type ExecutableFiles,
  executableFiles,
  executableText,
  isOwnFile,
  type TrustCheck,
  TrustStore,
} from '../../trust/index.js'
import { askLine } from '../ask.js'
import type { CommandContext } from '../context.js'
import type { Home } from '../home.js'
import type { ReadGraph } from './read-graph.js'

/** Lines of a difference that a person reads before they look for themselves. */
const SHOWN_LINES = 60
const SHOWN_COMMANDS = 12

/**
 * Nothing of a project is run before a person has let it: asked here where there is a terminal, and no is the default; else they name the hash
 * of what they have seen. What comes with the program needs no asking.
 * @returns what was let run, by path; null for the program's own. @throws SignalboxError `E_UNTRUSTED`
 */
export async function requireTrust(
  context: CommandContext,
  store: EventStore,
  home: Home,
  { path, text, module }: ReadGraph,
  { trust, mayAsk }: { trust?: string | undefined; mayAsk: boolean },
): Promise<ExecutableFiles | null> {
  const others = module ? [module.file] : []
  if (path !== '-' && [path, ...others].every(isOwnFile)) return null
  const book = new TrustStore(store, home.settings.dataDirectory)
  const found = path === '-' ? await executableText(text, context.cwd) : await executableFiles(path, others)
  await letRun(context, book, found, { trust, mayAsk })
  return found
}

/** By what a person has said before, the hash they name, or their answer now. @throws SignalboxError `E_UNTRUSTED` */
export async function letRun(
  context: CommandContext,
  book: TrustStore,
  found: ExecutableFiles,
  { trust, mayAsk }: { trust?: string | undefined; mayAsk: boolean },
): Promise<void> {
  const check = await book.check(found)
  if (check.isTrusted) return
  if (trust !== undefined || !mayAsk) await book.require(found, { by: 'local', ...(trust !== undefined && { trust }) })
  else await askTrust(context, book, found, check)
}

/** Shows what would be run, and what of it is new or other than before. @throws SignalboxError `E_UNTRUSTED` on anything but yes. */
export async function askTrust(
  context: CommandContext,
  book: TrustStore,
  found: ExecutableFiles,
  { added, changed }: TrustCheck,
): Promise<void> {
  const { out, style } = context
  out(style('bold', `Let files of ${visibleText(found.project)} run?`))
  out('Commands in them run as you, with your rights.')
  for (const file of added) out(`  ${style('yellow', 'new')}      ${visibleText(file)}`)
  for (const file of changed) {
    out(`  ${style('yellow', 'changed')}  ${visibleText(file)}`)
    const lines = ((await book.difference(found, file)) ?? '').split('\n')
    for (const line of lines.slice(0, SHOWN_LINES)) out(`    ${style('dim', visibleText(line))}`)
    if (lines.length > SHOWN_LINES) out(style('dim', `    … ${lines.length - SHOWN_LINES} more lines`))
  }
  if (found.commands.length > 0) out('They run:')
  for (const command of found.commands.slice(0, SHOWN_COMMANDS))
    out(`  ${style('cyan', visibleText(command.replace(/\s+/g, ' ')).slice(0, 200))}`)
  if (found.commands.length > SHOWN_COMMANDS) out(`  … and ${found.commands.length - SHOWN_COMMANDS} more commands`)
  const said = (await askLine('yes or [no]: ')).trim().toLowerCase()
  if (said === 'y' || said === 'yes') return book.grant(found, { by: 'local', how: 'asked' })
  throw new SignalboxError('E_UNTRUSTED', 'nothing was run', { next: 'look at the files, then start it again' })
}
