import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CustomHandler } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Graph, LintRule } from '../../graph/index.js'

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
}

/**
 * Loads the module that `--handlers` names. It is the user's own code and runs in this process.
 * @throws SignalboxError `E_INPUT`
 */
export async function loadUserModule(cwd: string, given: string): Promise<UserModule> {
  const file = resolve(cwd, given)
  const refuse = (why: string) =>
    new SignalboxError('E_INPUT', `${given} ${why}`, {
      next: 'export handlers, rules or transforms (docs/guides/graphs.md)',
    })
  if (!existsSync(file)) throw refuse('does not exist')
  let module: Record<string, unknown>
  try {
    module = (await import(pathToFileURL(file).href)) as Record<string, unknown>
  } catch (error) {
    throw refuse(`cannot be loaded: ${(error as Error).message}`)
  }
  const { handlers = {}, functions = {}, rules = [], transforms = [] } = module
  for (const [name, map] of Object.entries({ handlers, functions })) {
    const isMap = typeof map === 'object' && map !== null && !Array.isArray(map)
    if (!isMap || !Object.values(map).every(entry => typeof entry === 'function'))
      throw refuse(`must export ${name} as an object of functions`)
  }
  for (const [name, list] of Object.entries({ rules, transforms }))
    if (!Array.isArray(list) || !list.every(entry => typeof entry === 'function'))
      throw refuse(`must export ${name} as a list of functions`)
  return {
    file,
    handlers: handlers as UserModule['handlers'],
    functions: functions as UserModule['functions'],
    rules: rules as LintRule[],
    transforms: transforms as UserModule['transforms'],
  }
}
