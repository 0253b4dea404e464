/** A workflow as a value: what the DOT parser makes, what code-defined pipelines build, what the engine walks. */
export interface Graph {
  readonly name: string | null
  readonly attributes: Attributes
  /** In order of declaration. */
  readonly nodes: ReadonlyMap<string, GraphNode>
  /** In order of declaration; several between the same two nodes are distinct. */
  readonly edges: readonly GraphEdge[]
  /** The file it was read from, for messages and for files named in it. */
  readonly file: string | null
}

export interface GraphNode {
  readonly id: string
  readonly attributes: Attributes
  readonly place: Position | null
  /** Labels of the subgraphs it was declared in, outermost first. */
  readonly subgraphs: readonly string[]
  /** Only named in edges. */
  readonly isImplicit: boolean
}

export interface GraphEdge {
  /** `from->to#n`: n counts the edges between these two from 1. */
  readonly id: string
  readonly from: string
  readonly to: string
  readonly attributes: Attributes
  readonly place: Position | null
}

export type Attributes = ReadonlyMap<string, Attribute>

/** A value as it was written; what it means is for the attribute's type to say. */
export interface Attribute {
  readonly value: string
  /** Whether it stood in quotes: printing keeps it. */
  readonly isQuoted: boolean
  readonly place: Position | null
  /** Where the value came from. */
  readonly origin: 'own' | 'defaults' | 'stylesheet' | 'transform'
}

/** Counted from 1, as editors do. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** The value of an attribute under its name or one of its aliases, the proper name first. */
export function textOf(attributes: Attributes, key: string, ...aliases: string[]): string | null {
  for (const name of [key, ...aliases]) {
    const found = attributes.get(name)
    if (found) return found.value
  }
  return null
}

/** Edges by where they begin, worked out once for each graph. */
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
