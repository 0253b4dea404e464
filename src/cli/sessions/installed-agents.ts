import { agentNames, loadAgent } from '../../agents/index.js'
import { openHome } from '../../host/home/index.js'
import type { CommandContext } from '../context.js'

/**
 * The agents whose program is found from this terminal; the demo agent, which ships, is the last.
 */
export async function installedAgents(context: CommandContext): Promise<string[]> {
  const { commands } = openHome(context).settings
  const found: string[] = []
  for (const name of agentNames()) {
    const adapter = await loadAgent(name)
    const program = adapter.locate({ env: context.env, cwd: context.cwd, configuredCommand: commands?.[name] ?? null })
    if (program.found) found.push(name)
  }
  return [...found.filter(name => name !== 'demo'), ...found.filter(name => name === 'demo')]
}
