import { executableProject, TrustBook } from '../../host/index.js'
import type { EventStore } from '../../store/index.js'
import type { CommandContext } from '../context.js'
import { askTrust } from '../graphs/require-trust.js'
import type { Home } from '../home.js'

/**
 * Before agents work in a project: what of it would be started for them (settings of agents, its own hooks) needs a person's word once, and
 * again when it has changed. A project without such files has nothing to be asked about.
 * @throws SignalboxError `E_UNTRUSTED`
 */
export async function requireProjectTrust(
  context: CommandContext,
  store: EventStore,
  home: Home,
  { directory, revision }: { directory: string; revision: string | null },
  options: Record<string, unknown>,
): Promise<void> {
  const book = new TrustBook(store, home.settings.dataDirectory)
  const found = await executableProject(directory, revision)
  const check = await book.check(found)
  if (check.isTrusted) return
  const trust = options.trust as string | undefined
  const mayAsk = context.isInteractive && options.ask !== false && !options.json
  if (trust !== undefined || !mayAsk) await book.require(found, { by: 'local', ...(trust !== undefined && { trust }) })
  else await askTrust(context, book, found, check)
}
