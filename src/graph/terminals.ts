import { edgesFrom, type Graph, type GraphNode, textOf } from './graph.js'

/** Candidates for the start node: those with the start shape, else those named `start`. */
export function startNodes(graph: Graph): readonly GraphNode[] {
  const known = STARTS.get(graph)
  if (known) return known
  const nodes = [...graph.nodes.values()]
  const shaped = nodes.filter(node => textOf(node.attributes, 'shape') === 'Mdiamond')
  const starts = shaped.length > 0 ? shaped : nodes.filter(node => node.id.toLowerCase() === 'start')
  STARTS.set(graph, starts)
  return starts
}

/** Computed once for each graph, because every node asks for it. */
const STARTS = new WeakMap<Graph, readonly GraphNode[]>()

/** The label of a node, or its id; a start or an exit without a label has the plain word for it. */
export function labelOf(graph: Graph, node: GraphNode): string {
  const label = textOf(node.attributes, 'label')
  if (label) return label
  const isOnlyExit = isExit(node) && [...graph.nodes.values()].filter(isExit).length === 1
  if (isStart(graph, node)) return 'Start'
  return isOnlyExit ? 'End' : node.id
}

function isStart(graph: Graph, node: GraphNode): boolean {
  const starts = startNodes(graph)
  return starts.length === 1 && starts[0] === node
}

/** Whether a run ends at this node: by shape, type or name, or because no edge leaves it. */
export function isTerminal(graph: Graph, node: GraphNode): boolean {
  return isExit(node) || edgesFrom(graph, node.id).length === 0
}

/** An exit node, which runs no handler. */
export function isExit(node: GraphNode): boolean {
  if (textOf(node.attributes, 'shape') === 'Msquare') return true
  if (textOf(node.attributes, 'type', 'node_type') === 'exit') return true
  return ['exit', 'end'].includes(node.id.toLowerCase())
}

export function terminalNodes(graph: Graph): GraphNode[] {
  const left = new Set(graph.edges.map(edge => edge.from))
  return [...graph.nodes.values()].filter(node => isExit(node) || !left.has(node.id))
}
