import type { Attribute, Attributes, Graph, GraphEdge, GraphNode, Position } from './graph.js'
import { Lexer, type Token } from './lexer.js'

interface SyntaxProblem {
  message: string
  position: Position
  fix?: string
}

export interface ParseLimits {
  bytes: number
  nodes: number
  edges: number
  label: number
}

export const PARSE_LIMITS: ParseLimits = { bytes: 1024 * 1024, nodes: 2_000, edges: 10_000, label: 4_096 }

export interface Parsed {
  graph: Graph
  problems: SyntaxProblem[]
  /** Values of a node that contradict earlier ones of the same node. */
  duplicates: { node: string; key: string; position: Position }[]
}

/**
 * Parses a workflow from DOT. Every error is reported with its position: after an error, parsing
 * continues at the next statement. The graph contains everything that could be parsed.
 */
export function parseDot(text: string, options: { file?: string; limits?: ParseLimits } = {}): Parsed {
  const limits = options.limits ?? PARSE_LIMITS
  if (Buffer.byteLength(text) > limits.bytes) {
    const problem = { message: `the file is larger than ${limits.bytes} bytes`, position: { line: 1, column: 1 } }
    return { graph: emptyGraph(options.file ?? null), problems: [problem], duplicates: [] }
  }
  return new Parser(text, options.file ?? null, limits).parse()
}

function emptyGraph(file: string | null): Graph {
  return { name: null, attributes: new Map(), nodes: new Map(), edges: [], file }
}

type AttributeMap = Map<string, Attribute>

interface Scope {
  node: AttributeMap
  edge: AttributeMap
  /** Attributes of this graph or subgraph. */
  own: AttributeMap
  subgraphs: string[]
  /** Nodes declared in it, which get the class of its label. */
  members: Set<string>
}

interface NodeDraft {
  id: string
  attributes: AttributeMap
  position: Position
  isImplicit: boolean
  scopes: Scope[]
}

/** Thrown inside one statement, caught by the loop over statements. */
class StatementError extends Error {
  readonly problem: SyntaxProblem

  constructor(problem: SyntaxProblem) {
    super(problem.message)
    this.problem = problem
  }
}

/** At most this many errors are reported; a file with more of them is probably not DOT. */
const PROBLEMS_MAX = 1_000

/** Stops the parser. */
class TooManyErrors extends StatementError {}

class Parser {
  readonly #lexer: Lexer
  readonly #file: string | null
  readonly #limits: ParseLimits
  readonly #problems: SyntaxProblem[] = []
  readonly #nodes = new Map<string, NodeDraft>()
  readonly #edges: { from: string; to: string; attributes: AttributeMap; position: Position }[] = []
  /** Later values that contradict earlier ones of the same node, for the linter. */
  readonly #duplicates: { node: string; key: string; position: Position }[] = []
  #token: Token

  constructor(text: string, file: string | null, limits: ParseLimits) {
    this.#lexer = new Lexer(text)
    this.#file = file
    this.#limits = limits
    this.#token = this.#lexer.next()
  }

  parse(): Parsed {
    const root: Scope = { node: new Map(), edge: new Map(), own: new Map(), subgraphs: [], members: new Set() }
    let name: string | null = null
    try {
      name = this.#header()
      this.#statements([root])
      if (this.#token.kind !== 'end')
        this.#report(
          `a file contains one graph; found ${this.#found()} after it`,
          this.#token.position,
          'move the second graph to its own file',
        )
    } catch (error) {
      if (!(error instanceof StatementError)) throw error
      this.#problems.push(error.problem)
    }
    this.#problems.push(...this.#lexer.problems)
    this.#problems.sort((a, b) => a.position.line - b.position.line || a.position.column - b.position.column)
    return { graph: this.#build(name, root), problems: this.#problems, duplicates: this.#duplicates }
  }

  // — statements —

  #header(): string | null {
    if (this.#isWord('strict')) this.#fail('"strict" is not supported', 'remove it')
    if (this.#isWord('graph')) this.#fail('an undirected graph is not a workflow', 'write digraph, and -> for edges')
    if (!this.#isWord('digraph'))
      this.#fail(`expected digraph, found ${this.#found()}`, 'a workflow has the form: digraph name { … }')
    this.#advance()
    let name: string | null = null
    if (this.#token.kind === 'id' || this.#token.kind === 'string') {
      name = this.#token.text
      this.#advance()
    }
    this.#expect('{')
    return name
  }

  #statements(scopes: readonly Scope[]): void {
    for (;;) {
      if (this.#isSymbol('}')) {
        this.#advance()
        return
      }
      if (this.#token.kind === 'end') this.#fail('expected }, found the end of the file', 'close the graph with }')
      if (this.#isSymbol(';')) {
        this.#advance()
        continue
      }
      try {
        this.#statement(scopes)
      } catch (error) {
        if (!(error instanceof StatementError) || error instanceof TooManyErrors) throw error
        this.#problems.push(error.problem)
        if (this.#problems.length >= PROBLEMS_MAX)
          throw new TooManyErrors({
            message: `more than ${PROBLEMS_MAX} errors; the rest was not parsed`,
            position: this.#token.position,
          })
        this.#recover()
      }
    }
  }

  /** Continues after the next `;` or `]`, or at the next line, without leaving the block. */
  #recover(): void {
    const { line } = this.#token.position
    for (;;) {
      if (this.#token.kind === 'end' || this.#isSymbol('}')) return
      if (this.#isSymbol(';') || this.#isSymbol(']')) {
        this.#advance()
        return
      }
      if (this.#token.position.line > line) return
      this.#advance()
    }
  }

  #statement(scopes: readonly Scope[]): void {
    const scope = scopes.at(-1)!
    if (this.#isWord('subgraph') || this.#isSymbol('{')) return this.#subgraph(scopes)
    for (const [word, defaults] of [
      ['node', scope.node],
      ['edge', scope.edge],
      ['graph', scope.own],
    ] as const) {
      if (!this.#isWord(word)) continue
      this.#advance()
      if (!this.#isSymbol('['))
        this.#fail(`expected [ after ${word}, found ${this.#found()}`, `write ${word} [key=value]`)
      for (const [key, attribute] of this.#attributeLists()) defaults.set(key, attribute)
      return
    }
    const start = this.#token
    const id = this.#id()
    // `key = value` and `a.b = value` set attributes of the graph.
    if (this.#isSymbol('=') || this.#isSymbol('.')) {
      const key = this.#dotted(id)
      this.#expect('=', true)
      scope.own.set(key, this.#value(key))
      return
    }
    if (this.#isSymbol('->') || this.#isSymbol('--')) return this.#edge(scopes, start, id)
    checkId(start, id)
    const attributes = this.#attributeLists()
    this.#declare(scopes, id, start.position, attributes)
  }

  #subgraph(scopes: readonly Scope[]): void {
    const outer = scopes.at(-1)!
    if (scopes.length > DEPTH_MAX) this.#fail(`subgraphs are nested more than ${DEPTH_MAX} levels deep`)
    if (this.#isWord('subgraph')) {
      this.#advance()
      if (this.#token.kind === 'id' || this.#token.kind === 'string') this.#advance()
    }
    this.#expect('{')
    const inner: Scope = {
      node: new Map(outer.node),
      edge: new Map(outer.edge),
      own: new Map(),
      subgraphs: [],
      members: new Set(),
    }
    this.#statements([...scopes, inner])
    if (this.#isSymbol('->')) this.#fail('a group of nodes cannot be an endpoint of an edge', 'write one edge per node')
  }

  #edge(scopes: readonly Scope[], start: Token, first: string): void {
    checkId(start, first)
    const ids = [{ id: first, position: start.position }]
    while (this.#isSymbol('->') || this.#isSymbol('--')) {
      if (this.#isSymbol('--')) this.#fail('-- makes an undirected edge', 'write ->')
      this.#advance()
      if (this.#isSymbol('{') || this.#isWord('subgraph'))
        this.#fail('a group of nodes cannot be an endpoint of an edge', 'write one edge per node')
      const token = this.#token
      const id = this.#id()
      checkId(token, id)
      ids.push({ id, position: token.position })
    }
    const given = this.#attributeLists()
    const attributes: AttributeMap = new Map(
      [...scopes.at(-1)!.edge].map(([key, value]) => [key, { ...value, origin: 'defaults' as const }]),
    )
    for (const [key, attribute] of given) attributes.set(key, attribute)
    for (const { id, position } of ids) this.#declareNode(scopes, id, position)
    for (let at = 0; at + 1 < ids.length; at++) {
      if (this.#edges.length >= this.#limits.edges) this.#fail(`the graph has more than ${this.#limits.edges} edges`)
      this.#edges.push({ from: ids[at]!.id, to: ids[at + 1]!.id, attributes, position: ids[at]!.position })
    }
  }

  // — nodes —

  #declare(scopes: readonly Scope[], id: string, position: Position, attributes: AttributeMap): void {
    const draft = this.#draft(scopes, id, position, false)
    for (const [key, attribute] of attributes) {
      const before = draft.attributes.get(key)
      if (before?.origin === 'own' && before.value !== attribute.value)
        this.#duplicates.push({ node: id, key, position: attribute.position! })
      draft.attributes.set(key, attribute)
    }
    draft.isImplicit = false
    draft.position = position
    this.#join(scopes, draft)
  }

  #declareNode(scopes: readonly Scope[], id: string, position: Position): void {
    this.#join(scopes, this.#draft(scopes, id, position, true))
  }

  #draft(scopes: readonly Scope[], id: string, position: Position, isImplicit: boolean): NodeDraft {
    const known = this.#nodes.get(id)
    if (known) return known
    if (this.#nodes.size >= this.#limits.nodes) this.#fail(`the graph has more than ${this.#limits.nodes} nodes`)
    const defaults = [...scopes.at(-1)!.node].map(
      ([key, value]) => [key, { ...value, origin: 'defaults' as const }] as const,
    )
    const draft: NodeDraft = { id, attributes: new Map(defaults), position, isImplicit, scopes: [] }
    this.#nodes.set(id, draft)
    return draft
  }

  #join(scopes: readonly Scope[], draft: NodeDraft): void {
    for (const scope of scopes.slice(1)) if (!draft.scopes.includes(scope)) draft.scopes.push(scope)
  }

  // — attributes —

  #attributeLists(): AttributeMap {
    const attributes: AttributeMap = new Map()
    while (this.#isSymbol('[')) {
      this.#advance()
      while (!this.#isSymbol(']')) {
        if (this.#isSymbol(',') || this.#isSymbol(';')) {
          this.#advance()
          continue
        }
        if (this.#token.kind === 'end')
          this.#fail('expected ], found the end of the file', 'close the attribute list with ]')
        const key = this.#dotted(this.#id())
        this.#expect('=', true)
        attributes.set(key, this.#value(key))
      }
      this.#advance()
    }
    return attributes
  }

  /** The lexer has read `a` and is before `.b`. */
  #dotted(first: string): string {
    let key = first
    while (this.#isSymbol('.')) {
      this.#advance()
      key += `.${this.#id()}`
    }
    return key
  }

  #value(key: string): Attribute {
    const { kind, text, position } = this.#token
    if (kind === 'html') this.#fail('an HTML label is not supported', 'write it as a quoted string')
    if (kind === 'symbol' || kind === 'end') this.#fail(`expected a value for ${key}, found ${this.#found()}`)
    this.#advance()
    let value = text
    while (kind === 'string' && this.#isSymbol('+')) {
      this.#advance()
      if (this.#token.kind !== 'string') this.#fail(`expected a string after +, found ${this.#found()}`)
      value += this.#token.text
      this.#advance()
    }
    if (key === 'label' && value.length > this.#limits.label)
      this.#report(`the label is ${value.length} characters long; the limit is ${this.#limits.label}`, position)
    return { value, isQuoted: kind === 'string', position, origin: 'own' }
  }

  // — the result —

  #build(name: string | null, root: Scope): Graph {
    const nodes = new Map<string, GraphNode>()
    for (const { id, attributes, position, isImplicit, scopes } of this.#nodes.values()) {
      const labels = scopes.flatMap(scope => scope.own.get('label')?.value ?? [])
      nodes.set(id, { id, attributes, position, isImplicit, subgraphs: labels })
    }
    const counts = new Map<string, number>()
    const edges: GraphEdge[] = this.#edges.map(({ from, to, attributes, position }) => {
      const pair = `${from}->${to}`
      const count = (counts.get(pair) ?? 0) + 1
      counts.set(pair, count)
      return { id: `${pair}#${count}`, from, to, attributes, position }
    })
    return { name, attributes: root.own as Attributes, nodes, edges, file: this.#file }
  }

  // — tokens —

  #id(): string {
    const { kind, text } = this.#token
    if (kind === 'number' || kind === 'duration')
      this.#fail(
        `a name cannot begin with a digit: ${text}`,
        'start the name with a letter, and use label= for the text people see',
      )
    if (kind !== 'id' && kind !== 'string') this.#fail(`expected a name, found ${this.#found()}`)
    this.#advance()
    if (this.#isSymbol(':')) this.#fail('ports (a:b) are not supported', 'use label= for the text people see')
    return text
  }

  #expect(symbol: string, inValue = false): void {
    if (!this.#isSymbol(symbol)) this.#fail(`expected ${symbol}, found ${this.#found()}`)
    this.#advance(inValue)
  }

  #advance(inValue = false): void {
    this.#token = this.#lexer.next(inValue)
  }

  #isSymbol(text: string): boolean {
    return this.#token.kind === 'symbol' && this.#token.text === text
  }

  #isWord(text: string): boolean {
    return this.#token.kind === 'id' && this.#token.text.toLowerCase() === text
  }

  #found(): string {
    const { kind, text } = this.#token
    if (kind === 'end') return text
    return kind === 'string' ? `the string ${JSON.stringify(text.slice(0, 30))}` : `"${text.slice(0, 30)}"`
  }

  #report(message: string, position: Position, fix?: string): void {
    this.#problems.push({ message, position, ...(fix !== undefined && { fix }) })
  }

  #fail(message: string, fix?: string): never {
    throw new StatementError({ message, position: this.#token.position, ...(fix !== undefined && { fix }) })
  }
}

/** Deeper than any real graph, and every level takes space on the stack. */
const DEPTH_MAX = 100

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

function checkId(token: Token, id: string): void {
  if (NAME.test(id)) return
  const message = `${JSON.stringify(id)} is not a valid node name`
  throw new StatementError({
    message,
    position: token.position,
    fix: 'use letters, digits and underscores only, and label= for the text people see',
  })
}
