import { agentNames, loadAgent } from '../../agents/index.js'
import { openHome } from '../../host/home/index.js'
import type { CommandContext } from '../context.js'

interface KnownAgent {
  name: string
  title: string
  isInstalled: boolean
  /** How to install it. */
  install: string
}

/**
 * The agents with a terminal, those whose program is found from here first; of these the demo
 * agent, which ships, is the last.
 */
export async function terminalAgents(context: CommandContext): Promise<KnownAgent[]> {
  const { commands } = openHome(context).settings
  const known: KnownAgent[] = []
  for (const agent of await Promise.all(agentNames().map(loadAgent))) {
    if (agent.programs.length === 0) continue
    const { name, title, install } = agent
    const program = agent.locate({ env: context.env, cwd: context.cwd, configuredCommand: commands?.[name] ?? null })
    known.push({ name, title, install, isInstalled: program.found })
  }
  const rank = ({ name, isInstalled }: KnownAgent) => (name === 'demo' ? 1 : isInstalled ? 0 : 2)
  return known.sort((a, b) => rank(a) - rank(b))
}
