import type { EventStore } from '../../store/index.js'
import { executableProject, PROJECT_FILE, TrustStore } from '../../trust/index.js'
import type { CommandContext } from '../context.js'
import { letRun } from '../graphs/require-trust.js'
import type { Home } from '../home.js'
import { enterProject } from '../project-settings.js'

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
  const book = new TrustStore(store, home.settings.dataDirectory)
  await letRun(context, book, await executableProject(directory, revision), trustOf(context, options))
}

/** A project that has settings of its own is let run first: they are to be in force for this very run. @throws SignalboxError `E_UNTRUSTED` */
export async function enterWithSettings(
  context: CommandContext,
  store: EventStore,
  home: Home,
  options: Record<string, unknown>,
): Promise<Home> {
  const { files } = await executableProject(context.cwd)
  if (!Object.hasOwn(files, PROJECT_FILE)) return home
  return enterProject(context, store, home, { ...trustOf(context, options), isApart: false })
}

function trustOf(context: CommandContext, { trust, ask, json }: Record<string, unknown>) {
  return { trust: trust as string | undefined, mayAsk: context.isInteractive && ask !== false && !json }
}
