import type { AgentEnvironment } from '../agents/index.js'
import { openHome } from '../host/home/index.js'
import type { CommandContext } from './context.js'

/** Where an agent's program is looked for on behalf of a command: as the settings say, else on the path. */
export function agentPlace(context: CommandContext, name: string): AgentEnvironment {
  const configuredCommand = openHome(context).settings.commands?.[name] ?? null
  return { env: context.env, cwd: context.cwd, configuredCommand }
}
