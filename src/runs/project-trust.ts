import { join } from 'node:path'
import { SignalboxError } from '../errors/index.js'
import { Git } from '../git/index.js'
import { type Home, openHome } from '../host/home/index.js'
import {
  type ExecutableFiles,
  executableFiles,
  executableModule,
  executableProject,
  executableText,
  isOwnFile,
  PROJECT_FILE,
  TrustStore,
} from '../trust/index.js'
import type { LoadedGraph } from './graphs/load-graph.js'
import type { StartContext } from './start-context.js'

/*
 * Nothing of a project runs before a person has allowed it: its workflows, its settings, hooks and
 * tool servers of agents. The person allows the files as they are; a changed file is asked about
 * again. A person at a terminal is asked; elsewhere they name the hash of what they have inspected.
 */

/** What is needed to check trust and to ask for it. */
export type TrustContext = Pick<StartContext, 'store' | 'home' | 'person' | 'asker'>

/**
 * The person has allowed these files before, names their hash, or allows them now.
 * @throws SignalboxError `E_UNTRUSTED`
 */
async function requireTrust(context: TrustContext, found: ExecutableFiles, trust: string | undefined): Promise<void> {
  const { store, home, person, asker } = context
  const trustStore = new TrustStore(store, home.settings.dataDirectory)
  const check = await trustStore.check(found)
  if (check.isTrusted) return
  if (trust !== undefined || asker === null)
    return trustStore.require(found, { by: person, ...(trust !== undefined && { trust }) })
  const isAllowed = await asker.trust({ found, check, difference: file => trustStore.difference(found, file) })
  if (!isAllowed)
    throw new SignalboxError('E_UNTRUSTED', 'nothing was run', { next: 'inspect the files, then start it again' })
  await trustStore.grant(found, { by: person, how: 'asked' })
}

/**
 * Trust in a graph and in every file that it names. Examples that ship with the program are
 * trusted. Trust in a text is recorded for `directory`.
 * @returns the trusted files; null for a shipped example. @throws SignalboxError `E_UNTRUSTED`
 */
export async function requireGraphTrust(
  context: TrustContext & Pick<StartContext, 'cwd'>,
  { path, text, module }: Pick<LoadedGraph, 'path' | 'text'> & { module: { file: string } | null },
  { trust, directory = context.cwd }: { trust: string | undefined; directory?: string | undefined },
): Promise<ExecutableFiles | null> {
  const others = module ? [module.file] : []
  if (path !== null && [path, ...others].every(isOwnFile)) return null
  const found = path === null ? await executableText(text, directory, others) : await executableFiles(path, others)
  await requireTrust(context, found, trust)
  return found
}

/**
 * Trust in a module of the user's own and in the modules that it imports.
 * @throws SignalboxError `E_UNTRUSTED`
 */
export async function requireModuleTrust(
  context: TrustContext,
  file: string,
  trust: string | undefined,
): Promise<void> {
  if (!isOwnFile(file)) await requireTrust(context, await executableModule(file), trust)
}

/**
 * Trust in the files of a project that agents would obey there, as they are in the directory, or
 * with `revision` as they are in that commit.
 * @throws SignalboxError `E_UNTRUSTED`
 */
export async function requireProjectTrust(
  context: StartContext,
  { directory, revision }: { directory: string; revision: string | null },
  trust: string | undefined,
): Promise<void> {
  await requireTrust(context, await executableProject(directory, revision), trust)
}

/**
 * Requires trust in the project and applies its settings. `isApart`: the run works in a worktree of
 * its own, which starts from the commit, so the committed files need trust too.
 * @throws SignalboxError `E_UNTRUSTED`; `E_CONFIG` for project settings that are not allowed.
 */
export async function enterProject(
  context: StartContext,
  { trust, isApart }: { trust: string | undefined; isApart: boolean },
): Promise<Home> {
  const found = await executableProject(context.cwd)
  await requireTrust(context, found, trust)
  const home = withSettings(context, found, { isTrusted: true })
  if ((isApart || home.loaded.config.oneshot.worktree) && (await new Git(context.cwd).head()) !== null)
    await requireProjectTrust(context, { directory: context.cwd, revision: 'HEAD' }, trust)
  return home
}

/** Requires trust only if the project has settings of its own, which must apply to this run. */
export async function enterProjectWithSettings(context: StartContext, trust: string | undefined): Promise<Home> {
  const { files } = await executableProject(context.cwd)
  return Object.hasOwn(files, PROJECT_FILE) ? enterProject(context, { trust, isApart: false }) : context.home
}

/** Applies the project's settings if they are trusted; else `loaded.notes` says so. Never asks. */
export async function withProjectSettings(
  context: Pick<StartContext, 'store' | 'home' | 'env' | 'cwd'>,
): Promise<Home> {
  const { store, home, cwd } = context
  const found = await executableProject(cwd)
  if (!Object.hasOwn(found.files, PROJECT_FILE)) return home
  const { added, changed } = await new TrustStore(store, home.settings.dataDirectory).check(found)
  return withSettings(context, found, { isTrusted: ![...added, ...changed].includes(PROJECT_FILE) })
}

function withSettings(
  { home, env }: Pick<StartContext, 'home' | 'env'>,
  { project, files }: ExecutableFiles,
  { isTrusted }: { isTrusted: boolean },
): Home {
  if (!Object.hasOwn(files, PROJECT_FILE)) return home
  return openHome({ env }, { projectFile: { path: join(project, PROJECT_FILE), trusted: isTrusted } })
}
