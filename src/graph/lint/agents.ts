import { agentOf } from '../agent-of.js'
import { NODE_ATTRIBUTES } from '../attribute-table.js'
import { AttributeReader } from '../attribute-value.js'
import { type Graph, type GraphNode, textOf } from '../graph.js'
import { handlerOf } from '../handler-of.js'
import { applyStylesheet } from '../stylesheet.js'
import { type AgentFacts, type Diagnostic, type LintRule, reporter } from './diagnostic.js'

const AGENT_HANDLERS = new Set(['codergen', 'prompt'])

/** Nodes that an agent runs, after the stylesheet has been applied. */
function agentNodes(graph: Graph, handlers: readonly string[]): GraphNode[] {
  return [...applyStylesheet(graph).nodes.values()].filter(node => {
    const handler = handlerOf(node, handlers)
    const isRanked = handler === 'parallel.fan_in' && textOf(node.attributes, 'prompt', 'llm_prompt') !== null
    return AGENT_HANDLERS.has(handler) || isRanked
  })
}

/** Checked only if the settings of a run are known. */
export const agentKnown: LintRule = (graph, { agents, handlers }) => {
  if (!agents) return []
  const report = reporter(graph, 'agent_known', 'error')
  return agentNodes(graph, handlers).flatMap(node => {
    const name = agentOf(node, agents.defaultAgent)
    const at = { position: node.attributes.get('agent')?.position ?? node.position, node: node.id }
    if (name === null)
      return [
        report(`no agent is configured for "${node.id}"`, {
          ...at,
          fix: 'use --agent <name>, or set agent=… on the node',
        }),
      ]
    const why = agents.problem(name)
    return why === null ? [] : [report(`the agent "${name}" of "${node.id}" ${why}`, at)]
  })
}

export const permissionsLevel: LintRule = (graph, { agents, handlers }) => {
  if (!agents) return []
  const report = reporter(graph, 'permissions_level', 'error')
  return agentNodes(graph, handlers).flatMap(node => {
    const name = agentOf(node, agents.defaultAgent)
    const wanted = textOf(node.attributes, 'permissions')
    if (name === null || wanted === null || agents.problem(name) !== null) return []
    const levels = agents.levels(name)
    if (levels.includes(wanted)) return []
    const position = node.attributes.get('permissions')?.position ?? node.position
    const fix = `one of ${levels.join(', ')}`
    return [
      report(`the agent "${name}" of "${node.id}" has no permission level "${wanted}"`, {
        position,
        node: node.id,
        fix,
      }),
    ]
  })
}

/** Node attributes that only some agents offer, with the name of the setting that they need. */
const NODE_SETTINGS = ['llm_model', 'reasoning_effort', 'temperature', 'max_tokens', 'max_turns', 'allowed_tools']

/** A terminal session takes a model, and no other setting of a single turn. */
const LIVE_SETTINGS = new Set(['llm_model'])

/** Checked only if the settings of a run are known: what an agent offers depends on its program. */
export const attributeUnused: LintRule = (graph, { agents, handlers }) => {
  if (!agents) return []
  const report = reporter(graph, 'attribute_unused', 'warning')
  const known = agentNodes(graph, handlers).flatMap(node => {
    const name = agentOf(node, agents.defaultAgent)
    return name === null || agents.problem(name) !== null ? [] : [{ node, name }]
  })
  const seen = new Set<string>()
  const unused = known.flatMap(({ node, name }) => {
    const read = new AttributeReader(node.attributes, NODE_ATTRIBUTES)
    const isLive = read.isTrue('live')
    return NODE_SETTINGS.flatMap(key => {
      if (read.text(key) === null) return []
      const isOffered = isLive ? LIVE_SETTINGS.has(key) : agents.offers(name, key)
      // A rule of the stylesheet sets an attribute of many nodes: one finding is enough.
      const own = node.attributes.get(key)
      const id = own?.origin === 'own' ? `${node.id} ${key}` : `${name} ${key}`
      if (isOffered || seen.has(id)) return []
      seen.add(id)
      const why = isLive ? 'with live=true' : `with the agent "${name}", whose program does not offer it`
      return [
        report(`${key} of "${node.id}" has no effect ${why}`, {
          position: own?.position ?? node.position,
          node: node.id,
        }),
      ]
    })
  })
  return [...unused, ...hooksUnused(graph, agents, known, report)]
}

function hooksUnused(
  graph: Graph,
  agents: AgentFacts,
  known: readonly { node: GraphNode; name: string }[],
  report: ReturnType<typeof reporter>,
): Diagnostic[] {
  const without = [...new Set(known.map(({ name }) => name))].filter(name => !agents.offers(name, 'tool_hooks'))
  if (without.length === 0) return []
  return ['tool_hooks.pre', 'tool_hooks.post'].flatMap(key => {
    const hook = graph.attributes.get(key)
    if (!hook) return []
    return [
      report(`${key} has no effect for ${without.join(', ')}, which offers no such hook`, { position: hook.position }),
    ]
  })
}
