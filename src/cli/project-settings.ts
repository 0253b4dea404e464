import { join } from 'node:path'
import { Git } from '../git/index.js'
import type { EventStore } from '../store/index.js'
import { type ExecutableFiles, executableProject, PROJECT_FILE, TrustStore } from '../trust/index.js'
import type { CommandContext } from './context.js'
import { letRun } from './graphs/require-trust.js'
import { type Home, openHome } from './home.js'

/**
 * Before agents work in a project: what of it acts by itself (its settings, hooks and tool servers of agents) is let run by a person, once
 * as it is, and its settings come into force. A project that brings nothing of the kind is not asked about.
 * @throws SignalboxError `E_UNTRUSTED`, or `E_CONFIG` when its settings say what they may not.
 */
export async function enterProject(
  context: CommandContext,
  store: EventStore,
  home: Home,
  options: { trust?: string | undefined; mayAsk: boolean; isApart: boolean },
): Promise<Home> {
  const book = new TrustStore(store, home.settings.dataDirectory)
  const found = await executableProject(context.cwd)
  await letRun(context, book, found, options)
  const here = withSettings(context, home, found)
  // In a worktree of its own the work begins with what the commit holds.
  const isApart = options.isApart || here.loaded.config.oneshot.worktree
  if (isApart && (await new Git(context.cwd).head()) !== null)
    await letRun(context, book, await executableProject(context.cwd, 'HEAD'), options)
  return here
}

/** With the settings of the project where it is trusted as it is; else without them, and `loaded.notes` says so. Asks nobody. */
export async function withProjectSettings(context: CommandContext, store: EventStore, home: Home): Promise<Home> {
  const found = await executableProject(context.cwd)
  if (!Object.hasOwn(found.files, PROJECT_FILE)) return home
  const { added, changed } = await new TrustStore(store, home.settings.dataDirectory).check(found)
  return withSettings(context, home, found, { isTrusted: ![...added, ...changed].includes(PROJECT_FILE) })
}

function withSettings(
  context: CommandContext,
  home: Home,
  { project, files }: ExecutableFiles,
  { isTrusted }: { isTrusted: boolean } = { isTrusted: true },
): Home {
  if (!Object.hasOwn(files, PROJECT_FILE)) return home
  return openHome(context, { projectFile: { path: join(project, PROJECT_FILE), trusted: isTrusted } })
}
