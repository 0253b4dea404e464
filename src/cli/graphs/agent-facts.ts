import { agentNames, loadAgent } from '../../agents/index.js'
import { type AgentFacts, agentOf, applyStylesheet, type Graph } from '../../graph/index.js'
import { closestMatch } from '../../text/index.js'
import { agentPlace } from '../agent-place.js'
import type { CommandContext } from '../context.js'

/** What is known of the agents that a graph names, for the linter: looked up before a run begins, not when a node comes to it. */
export async function agentFacts(context: CommandContext, graph: Graph, runs: string | null): Promise<AgentFacts> {
  const found = new Map<string, { problem: string | null; levels: readonly string[] }>()
  const named = new Set([...applyStylesheet(graph).nodes.values()].map(node => agentOf(node, runs)))
  for (const name of named) if (name !== null) found.set(name, await look(context, name))
  return {
    runs,
    problem: name => (found.get(name) ?? UNKNOWN).problem,
    levels: name => (found.get(name) ?? UNKNOWN).levels,
  }
}

const UNKNOWN = { problem: 'is not known', levels: [] }

async function look(context: CommandContext, name: string) {
  const known = agentNames()
  if (!known.includes(name)) {
    const near = closestMatch(name, known)
    return { problem: `is not known${near ? `; did you mean "${near}"?` : ''}`, levels: [] }
  }
  const adapter = await loadAgent(name)
  if (!adapter.headless) return { problem: 'cannot work without a terminal', levels: [] }
  const location = adapter.locate(agentPlace(context, adapter.name))
  const problem = location.found ? null : `is not installed: ${adapter.install}`
  return { problem, levels: adapter.headless.levels }
}
