import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CustomHandler } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Graph, LintRule } from '../../graph/index.js'
import { requireGraphTrust, requireModuleTrust, type TrustContext } from '../project-trust.js'
import type { WordInterviewer } from '../scripted-answers.js'
import type { StartContext } from '../start-context.js'
import type { GraphSource } from './load-graph.js'

/** What a user's own module exports. */
export interface UserModule {
  file: string
  /** Handlers of nodes, by type. */
  handlers: Readonly<Record<string, CustomHandler>>
  /** Functions that `code` nodes may call, by name. */
  functions: Readonly<Record<string, CustomHandler>>
  /** Rules for the linter. */
  rules: readonly LintRule[]
  /** Changes to a graph before it runs. */
  transforms: readonly ((graph: Graph) => Graph)[]
  /** Answers the gates of the run. */
  interviewer: WordInterviewer | null
}

/**
 * Loads the module that `--handlers` names, once the person trusts it: with the graph that it
 * belongs to, or alone. Loading it executes it, in this process.
 * @throws SignalboxError `E_INPUT`, `E_UNTRUSTED`
 */
export async function loadUserModule(
  context: TrustContext & Pick<StartContext, 'cwd'>,
  given: string,
  { graph, trust }: { graph?: GraphSource; trust?: string | undefined } = {},
): Promise<UserModule> {
  const file = resolve(context.cwd, given)
  const refuse = (why: string) =>
    new SignalboxError('E_INPUT', `${given} ${why}`, {
      next: 'export handlers, functions, rules, transforms or an interviewer (docs/guides/graphs.md)',
    })
  if (!existsSync(file)) throw refuse('does not exist')
  if (graph) await requireGraphTrust({ ...context }, { ...graph, module: { file } }, { trust })
  else await requireModuleTrust(context, file, trust)
  let module: Record<string, unknown>
  try {
    module = (await import(pathToFileURL(file).href)) as Record<string, unknown>
  } catch (error) {
    throw refuse(`cannot be loaded: ${(error as Error).message}`)
  }
  const { handlers = {}, functions = {}, rules = [], transforms = [], interviewer = null } = module
  for (const [name, map] of Object.entries({ handlers, functions })) {
    const isMap = typeof map === 'object' && map !== null && !Array.isArray(map)
    if (!isMap || !Object.values(map).every(entry => typeof entry === 'function'))
      throw refuse(`must export ${name} as an object of functions`)
  }
  for (const [name, list] of Object.entries({ rules, transforms }))
    if (!Array.isArray(list) || !list.every(entry => typeof entry === 'function'))
      throw refuse(`must export ${name} as a list of functions`)
  if (interviewer !== null && typeof (interviewer as Partial<WordInterviewer>).ask !== 'function')
    throw refuse('must export interviewer as an object with the function ask(question)')
  return {
    file,
    handlers: handlers as UserModule['handlers'],
    functions: functions as UserModule['functions'],
    rules: rules as LintRule[],
    transforms: transforms as UserModule['transforms'],
    interviewer: interviewer as WordInterviewer | null,
  }
}
