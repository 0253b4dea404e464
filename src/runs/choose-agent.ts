import {
  type AgentAdapter,
  type AgentEnvironment,
  agentNames,
  type HeadlessAgent,
  loadAgent,
  PERMISSION_LEVELS,
  type PermissionLevel,
} from '../agents/index.js'
import { SignalboxError } from '../errors/index.js'
import { type AgentFacts, agentOf, applyStylesheet, type Graph } from '../graph/index.js'
import { closestMatch } from '../text/index.js'
import type { StartContext } from './start-context.js'

/** What is needed to find agents' programs: the settings and the environment. */
export type AgentSearch = Pick<StartContext, 'home' | 'env' | 'cwd'>

/** Where an agent's program is searched for: the command in the settings, else the PATH. */
export function agentEnvironment({ home, env, cwd }: AgentSearch, name: string): AgentEnvironment {
  return { env, cwd, configuredCommand: home.settings.commands?.[name] ?? null }
}

/**
 * An installed agent that works without a terminal; the first one found if none is named.
 * @throws SignalboxError `E_INPUT`, `E_AGENT_MISSING`
 */
export async function headlessAgent(
  search: AgentSearch,
  name: string | null,
  role: string,
): Promise<{ adapter: AgentAdapter; headless: HeadlessAgent }> {
  const adapter = name === null ? await firstAgent(search) : await loadAgent(name)
  const { headless, title, install } = adapter
  if (!headless) {
    const adapters = await Promise.all(agentNames().map(loadAgent))
    const able = adapters.filter(other => other.headless).map(other => other.name)
    throw new SignalboxError('E_INPUT', `${title} cannot be the ${role}: it needs a terminal`, {
      next: `agents that work without one: ${able.join(', ')}`,
    })
  }
  const location = adapter.locate(agentEnvironment(search, adapter.name))
  if (!location.found)
    throw new SignalboxError('E_AGENT_MISSING', `${title} was not found (looked for ${location.looked})`, {
      next: install,
    })
  return { adapter, headless }
}

/** The first agent that is installed and, as far as is known, signed in; never the demo agent. */
async function firstAgent(search: AgentSearch): Promise<AgentAdapter> {
  for (const name of agentNames().filter(candidate => candidate !== 'demo')) {
    const adapter = await loadAgent(name)
    const environment = agentEnvironment(search, name)
    if (
      adapter.headless &&
      !adapter.headless.needsEndpoint &&
      adapter.locate(environment).found &&
      adapter.signIn?.(environment).state !== 'no'
    )
      return adapter
  }
  throw new SignalboxError('E_AGENT_MISSING', 'no agent was found on this machine', {
    next: 'install one: signalbox doctor lists them; or try --agent demo',
  })
}

/** The widest supported level that allows no more than the wanted one; else the narrowest. */
export function nearestLevel(wanted: PermissionLevel, levels: readonly PermissionLevel[]): PermissionLevel {
  const upTo = PERMISSION_LEVELS.slice(0, PERMISSION_LEVELS.indexOf(wanted))
  return levels.findLast(level => upTo.includes(level)) ?? levels[0]!
}

/** The agents that a graph names, checked for the linter before the run starts. */
export async function agentFacts(
  search: AgentSearch,
  graph: Graph,
  runs: string | null,
  hasEndpoint = false,
): Promise<AgentFacts> {
  const found = new Map<string, FactsOfAgent>()
  const named = new Set([...applyStylesheet(graph).nodes.values()].map(node => agentOf(node, runs)))
  for (const name of named) if (name !== null) found.set(name, await factsOf(search, name, hasEndpoint))
  return {
    defaultAgent: runs,
    problem: name => (found.get(name) ?? UNKNOWN).problem,
    levels: name => (found.get(name) ?? UNKNOWN).levels,
    offers: (name, setting) => (found.get(name) ?? UNKNOWN).offers.includes(setting),
  }
}

interface FactsOfAgent {
  problem: string | null
  levels: readonly string[]
  offers: readonly string[]
}

const UNKNOWN: FactsOfAgent = { problem: 'is unknown', levels: [], offers: [] }

async function factsOf(search: AgentSearch, name: string, hasEndpoint: boolean): Promise<FactsOfAgent> {
  const known = agentNames()
  if (!known.includes(name)) {
    const near = closestMatch(name, known)
    return { ...UNKNOWN, problem: `is unknown${near ? `; did you mean "${near}"?` : ''}` }
  }
  const adapter = await loadAgent(name)
  const { headless } = adapter
  if (!headless) return { ...UNKNOWN, problem: 'cannot work without a terminal' }
  const location = adapter.locate(agentEnvironment(search, adapter.name))
  const problem = !location.found
    ? `is not installed: ${adapter.install}`
    : headless.needsEndpoint && !hasEndpoint && !search.home.settings.endpoint
      ? `needs an address: ${ENDPOINT_HINT}`
      : null
  const offers = [...(headless.offers ?? []), ...(headless.takesModel ? ['llm_model'] : [])]
  return { problem, levels: headless.levels, offers }
}

/** How a person names the address of a model. */
export const ENDPOINT_HINT = '--endpoint http://127.0.0.1:11434/v1 (Ollama), or oneshot.endpoint in the settings'
