import type { Attribute, Attributes, Graph, GraphEdge, GraphNode } from '../graph/index.js'

/** A node of a pipeline: its function, and how it is drawn. */
interface NodePlan {
  /** The function in the pipeline; start and exit have none. */
  fn?: string
  label: string
  shape: string
  attributes?: Record<string, string>
}

type EdgePlan = readonly [from: string, to: string]

export interface GraphPlan {
  name: string
  attributes: Record<string, string>
  nodes: Record<string, NodePlan>
  edges: readonly EdgePlan[]
}

/** A graph as parsed from DOT. Functions choose by name: edges are labelled by target. */
export function buildGraph({ name, attributes, nodes, edges }: GraphPlan): Graph {
  const counts = new Map<string, number>()
  return {
    name,
    attributes: attributesOf(attributes),
    nodes: new Map(Object.entries(nodes).map(([id, plan]) => [id, nodeOf(id, plan)])),
    edges: edges.map(([from, to]): GraphEdge => {
      const pair = `${from}->${to}`
      const count = (counts.get(pair) ?? 0) + 1
      counts.set(pair, count)
      const isRoute = nodes[from]?.fn !== undefined && nodes[to]?.fn !== undefined
      return {
        id: `${pair}#${count}`,
        from,
        to,
        attributes: attributesOf(isRoute ? { label: to } : {}),
        position: null,
      }
    }),
    file: null,
  }
}

function nodeOf(id: string, { fn, label, shape, attributes = {} }: NodePlan): GraphNode {
  const own = { shape, label, ...(fn !== undefined && { type: 'code', fn }), ...attributes }
  return { id, attributes: attributesOf(own), position: null, subgraphs: [], isImplicit: false }
}

function attributesOf(values: Record<string, string>): Attributes {
  return new Map(
    Object.entries(values).map(([key, value]): [string, Attribute] => [
      key,
      { value, isQuoted: !/^[\w.]+$/.test(value), position: null, origin: 'own' },
    ]),
  )
}
