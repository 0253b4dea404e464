import {
  AttributeReader,
  evaluate,
  GRAPH_ATTRIBUTES,
  type GraphNode,
  isTerminal,
  NODE_ATTRIBUTES,
  parseCondition,
  textOf,
} from '../../graph/index.js'
import type { Cursor, GraphWork } from './graph-work.js'

/** The goals that are not met yet, and the node to retry for them, if any. */
export function unmetGoals(
  work: GraphWork,
  cursor: Cursor,
  /** A node that still has to run before the run ends. */
  except: string | null = null,
): { names: string[]; target: string | null } {
  const { graph, outcomes } = work
  const isMet = (id: string) => ['success', 'partial_success'].includes(outcomes.get(id) ?? '')
  const read = new AttributeReader(graph.attributes, GRAPH_ATTRIBUTES)
  const names: string[] = []
  let first: GraphNode | null = null
  for (const node of graph.nodes.values()) {
    const gate = new AttributeReader(node.attributes, NODE_ATTRIBUTES).text('goal_gate')
    const isGate = gate === 'true' || (gate === 'visited' && outcomes.has(node.id))
    if (!isGate || isMet(node.id) || node.id === except) continue
    names.push(node.id)
    first ??= node
  }
  for (const id of read.names('required_nodes')) {
    if (isMet(id) || names.includes(id) || id === except) continue
    names.push(id)
    first ??= graph.nodes.get(id) ?? null
  }
  const condition = parseCondition(read.text('goal_condition') ?? '')
  if (!('problem' in condition) && except === null) {
    const scope = {
      outcome: cursor.last?.outcome ?? cursor.last?.status ?? '',
      preferredLabel: String(cursor.context.preferred_label ?? ''),
      context: cursor.context,
    }
    if (!evaluate(condition.condition, scope).isTrue) names.push('goal_condition')
  }
  if (names.length === 0) return { names, target: null }
  const candidates = [first?.attributes, graph.attributes].flatMap(attributes =>
    attributes ? [textOf(attributes, 'retry_target'), textOf(attributes, 'fallback_retry_target')] : [],
  )
  const isTarget = (id: string | null): id is string => {
    const node = id === null ? undefined : graph.nodes.get(id)
    return node !== undefined && !isTerminal(graph, node)
  }
  return { names, target: candidates.find(isTarget) ?? null }
}
