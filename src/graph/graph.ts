/** A workflow as a value: the DOT parser or pipelines build it, the engine walks it. */
export interface Graph {
  readonly name: string | null
  readonly attributes: Attributes
  /** In declaration order. */
  readonly nodes: ReadonlyMap<string, GraphNode>
  /** In declaration order; several edges between the same two nodes are distinct. */
  readonly edges: readonly GraphEdge[]
  /** The file it was parsed from, for messages and relative file names. */
  readonly file: string | null
}

export interface GraphNode {
  readonly id: string
  readonly attributes: Attributes
  readonly position: Position | null
  /** Labels of the subgraphs it was declared in, outermost first. */
  readonly subgraphs: readonly string[]
  /** It appears only in edges. */
  readonly isImplicit: boolean
}

export interface GraphEdge {
  /** `from->to#n`: n counts the edges between these two nodes, from 1. */
  readonly id: string
  readonly from: string
  readonly to: string
  readonly attributes: Attributes
  readonly position: Position | null
}

export type Attributes = ReadonlyMap<string, Attribute>

/** A value as written; the attribute's type says what it means. */
export interface Attribute {
  readonly value: string
  /** Whether it was quoted: printing preserves it. */
  readonly isQuoted: boolean
  readonly position: Position | null
  /** Where the value came from. */
  readonly origin: 'own' | 'defaults' | 'stylesheet' | 'transform'
}

/** Counted from 1, as in editors. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** The value of an attribute under its name or one of its aliases; the name takes precedence. */
export function textOf(attributes: Attributes, key: string, ...aliases: string[]): string | null {
  for (const name of [key, ...aliases]) {
    const found = attributes.get(name)
    if (found) return found.value
  }
  return null
}

/** Edges by their source node, computed once for each graph. */
const INDEX = new WeakMap<Graph, ReadonlyMap<string, readonly GraphEdge[]>>()
const NONE: readonly GraphEdge[] = []

export function edgesFrom(graph: Graph, node: string): readonly GraphEdge[] {
  let index = INDEX.get(graph)
  if (!index) {
    const made = new Map<string, GraphEdge[]>()
    for (const edge of graph.edges) {
      const known = made.get(edge.from)
      if (known) known.push(edge)
      else made.set(edge.from, [edge])
    }
    index = made
    INDEX.set(graph, index)
  }
  return index.get(node) ?? NONE
}
