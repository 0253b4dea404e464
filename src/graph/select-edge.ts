import { withoutKey } from '../text/index.js'
import { parseCondition } from './condition.js'
import { evaluate } from './evaluate-condition.js'
import { edgesFrom, type Graph, type GraphEdge, type GraphNode, textOf } from './graph.js'
import { handlerOf } from './handler-of.js'
import { outcomeWord } from './outcome-words.js'
import { isTerminal } from './terminals.js'

/** The part of a handler's result that routing needs. */
export interface RoutedOutcome {
  status: 'success' | 'fail' | 'partial_success' | 'retry' | 'skipped'
  /** A custom outcome word, if it is not one of the statuses. */
  outcome?: string
  preferredLabel?: string
  suggestedNextIds?: readonly string[]
  nextNode?: string
  /** The exact edge that was chosen at a gate. */
  edge?: string
  failureReason?: string
}

type RouteReason = 'override' | 'gate' | 'condition' | 'diamond' | 'retry_target' | 'label' | 'suggested' | 'weight'

export type Route =
  | { go: string; edge: string | null; reason: RouteReason }
  | { finish: true }
  | { fail: 'bad_route' | 'no_route' | 'failed'; why: string }

/**
 * The routing algorithm: chooses the next edge of a node. A failure never follows an unconditional
 * edge, and an edge whose condition is false is never followed.
 */
export function selectEdge(
  graph: Graph,
  node: GraphNode,
  outcome: RoutedOutcome,
  context: Readonly<Record<string, unknown>>,
  /** A parallel node's unconditional edges are its branches: none of them handles its failure. */
  { isParallel = false }: { isParallel?: boolean } = {},
): Route {
  const edges = edgesFrom(graph, node.id)
  if (outcome.nextNode !== undefined) {
    if (!graph.nodes.has(outcome.nextNode))
      return { fail: 'bad_route', why: `${node.id} asked for an unknown node "${outcome.nextNode}"` }
    return { go: outcome.nextNode, edge: null, reason: 'override' }
  }
  if (outcome.edge !== undefined) {
    const chosen = edges.find(edge => edge.id === outcome.edge)
    if (!chosen) return { fail: 'bad_route', why: `${node.id} has no edge ${outcome.edge}` }
    return { go: chosen.to, edge: chosen.id, reason: 'gate' }
  }
  const word = outcome.outcome ?? outcome.status
  const scope = { outcome: word, preferredLabel: outcome.preferredLabel ?? '', context }
  const tried: string[] = []
  for (const edge of inOrder(edges.filter(hasCondition))) {
    const text = textOf(edge.attributes, 'condition')!
    const parsed = parseCondition(text)
    if ('problem' in parsed) {
      tried.push(`${text}: ${parsed.problem.message}`)
      continue
    }
    const { isTrue, saw } = evaluate(parsed.condition, scope)
    if (isTrue) return { go: edge.to, edge: edge.id, reason: 'condition' }
    tried.push(`${text} (${saw.map(({ key, value }) => `${key} is ${JSON.stringify(value)}`).join(', ')})`)
  }
  const plain = edges.filter(edge => !hasCondition(edge))
  const isDiamond = handlerOf(node) === 'conditional'
  if (outcome.status === 'fail' && !isDiamond) return afterFailure(graph, node, outcome, isParallel ? [] : plain)
  const label = outcome.preferredLabel ?? (isDiamond ? word : undefined)
  if (label !== undefined && label !== '') {
    const wanted = outcomeWord(normaliseLabel(label))
    const matching = plain.filter(
      edge => outcomeWord(normaliseLabel(textOf(edge.attributes, 'label') ?? '')) === wanted,
    )
    const best = byWeight(matching)
    if (best) return { go: best.to, edge: best.id, reason: 'label' }
  }
  for (const id of outcome.suggestedNextIds ?? []) {
    const suggested = plain.find(edge => edge.to === id)
    if (suggested) return { go: suggested.to, edge: suggested.id, reason: 'suggested' }
  }
  const [first] = inOrder(plain)
  if (first) return { go: first.to, edge: first.id, reason: 'weight' }
  if (isTerminal(graph, node)) return { finish: true }
  return { fail: 'no_route', why: `no edge of ${node.id} can be followed: ${tried.join('; ') || 'it has none'}` }
}

/** Only a diamond, or a configured retry target, handles a failure. */
function afterFailure(graph: Graph, node: GraphNode, outcome: RoutedOutcome, plain: readonly GraphEdge[]): Route {
  const diamonds = plain.filter(edge => {
    const target = graph.nodes.get(edge.to)
    return target !== undefined && handlerOf(target) === 'conditional'
  })
  const [diamond] = inOrder(diamonds)
  if (diamond) return { go: diamond.to, edge: diamond.id, reason: 'diamond' }
  for (const key of ['retry_target', 'fallback_retry_target']) {
    const target = textOf(node.attributes, key)
    if (target !== null && graph.nodes.has(target)) return { go: target, edge: null, reason: 'retry_target' }
  }
  return { fail: 'failed', why: outcome.failureReason ?? `${node.id} failed` }
}

/** Trimmed, lower case, without a leading accelerator: `[A] Accept`, `A) Accept`, `A - Accept`. */
export function normaliseLabel(label: string): string {
  return withoutKey(label).toLowerCase()
}

function hasCondition(edge: GraphEdge): boolean {
  return (textOf(edge.attributes, 'condition') ?? '').trim() !== ''
}

/** By weight, highest first, then by target, then in declaration order. */
function inOrder(edges: readonly GraphEdge[]): GraphEdge[] {
  return edges
    .map((edge, index) => ({ edge, index }))
    .sort((a, b) => weightOf(b.edge) - weightOf(a.edge) || compare(a.edge.to, b.edge.to) || a.index - b.index)
    .map(({ edge }) => edge)
}

/** By weight, highest first, then in declaration order. */
function byWeight(edges: readonly GraphEdge[]): GraphEdge | undefined {
  let best: GraphEdge | undefined
  for (const edge of edges) if (!best || weightOf(edge) > weightOf(best)) best = edge
  return best
}

function weightOf(edge: GraphEdge): number {
  return Number(textOf(edge.attributes, 'weight') ?? 0) || 0
}

/** By code point. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
