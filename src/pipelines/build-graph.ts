import type { Attribute, Attributes, Graph, GraphEdge, GraphNode } from '../graph/index.js'

/** A node of a pipeline: its function, and how it is drawn. */
export interface NodePlan {
  /** The function in the pipeline; start and exit have none. */
  fn?: string
  label: string
  shape: string
  attributes?: Record<string, string>
}

/** From, to, and the label of the route. */
export type EdgePlan = readonly [from: string, to: string, label?: string]

export interface GraphPlan {
  name: string
  attributes: Record<string, string>
  nodes: Record<string, NodePlan>
  edges: readonly EdgePlan[]
}

/** Builds the same value that the DOT parser would. */
export function buildGraph({ name, attributes, nodes, edges }: GraphPlan): Graph {
  const counts = new Map<string, number>()
  return {
    name,
    attributes: attributesOf(attributes),
    nodes: new Map(Object.entries(nodes).map(([id, plan]) => [id, nodeOf(id, plan)])),
    edges: edges.map(([from, to, label]): GraphEdge => {
      const pair = `${from}->${to}`
      const count = (counts.get(pair) ?? 0) + 1
      counts.set(pair, count)
      return { id: `${pair}#${count}`, from, to, attributes: attributesOf(label ? { label } : {}), place: null }
    }),
    file: null,
  }
}

function nodeOf(id: string, { fn, label, shape, attributes = {} }: NodePlan): GraphNode {
  const own = { shape, label, ...(fn !== undefined && { type: 'code', fn }), ...attributes }
  return { id, attributes: attributesOf(own), place: null, subgraphs: [], isImplicit: false }
}

function attributesOf(values: Record<string, string>): Attributes {
  return new Map(
    Object.entries(values).map(([key, value]): [string, Attribute] => [
      key,
      { value, isQuoted: !/^[\w.]+$/.test(value), place: null, origin: 'own' },
    ]),
  )
}
