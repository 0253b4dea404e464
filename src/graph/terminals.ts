import { edgesFrom, type Graph, type GraphNode, textOf } from './graph.js'

/** Nodes that may be where a run begins: those of the start's shape, else those called start. */
export function startNodes(graph: Graph): readonly GraphNode[] {
  const known = STARTS.get(graph)
  if (known) return known
  const nodes = [...graph.nodes.values()]
  const shaped = nodes.filter(node => textOf(node.attributes, 'shape') === 'Mdiamond')
  const starts = shaped.length > 0 ? shaped : nodes.filter(node => node.id.toLowerCase() === 'start')
  STARTS.set(graph, starts)
  return starts
}

/** Worked out once for each graph: it is asked at every node. */
const STARTS = new WeakMap<Graph, readonly GraphNode[]>()

/** Where a run ends: by shape or type, by name, or because nothing leads on. */
export function isTerminal(graph: Graph, node: GraphNode): boolean {
  return isExit(node) || edgesFrom(graph, node.id).length === 0
}

/** An end that runs no handler of its own. */
export function isExit(node: GraphNode): boolean {
  if (textOf(node.attributes, 'shape') === 'Msquare') return true
  if (textOf(node.attributes, 'type', 'node_type') === 'exit') return true
  return ['exit', 'end'].includes(node.id.toLowerCase())
}

export function terminalNodes(graph: Graph): GraphNode[] {
  const left = new Set(graph.edges.map(edge => edge.from))
  return [...graph.nodes.values()].filter(node => isExit(node) || !left.has(node.id))
}
