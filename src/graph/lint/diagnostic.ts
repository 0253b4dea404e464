import type { Graph, Position } from '../graph.js'

export type Severity = 'error' | 'warning' | 'info'

export interface Diagnostic {
  rule: string
  severity: Severity
  message: string
  file: string | null
  line: number | null
  column: number | null
  node?: string
  edge?: string
  fix?: string
}

/** A rule looks at a graph and says what it finds. */
export type LintRule = (graph: Graph, facts: LintFacts) => Diagnostic[]

/** What the linter knows beside the graph. */
export interface LintFacts {
  /** Handlers that are registered. */
  handlers: readonly string[]
  /** Functions of `code` nodes that are registered. */
  functions: readonly string[]
  /** Whether a file that a prompt names is there and inside of the repository; null when files cannot be looked at. */
  promptFile: ((path: string) => 'ok' | 'missing' | 'outside') | null
  /** The agents of a run that is about to begin; null where only the graph is looked at. */
  agents: AgentFacts | null
}

export interface AgentFacts {
  /** Agent of nodes that name none. */
  runs: string | null
  /** What keeps an agent from being used; null when it is there. */
  problem(agent: string): string | null
  /** What it can be held to. */
  levels(agent: string): readonly string[]
}

export interface Finding {
  place?: Position | null
  node?: string
  edge?: string
  fix?: string
}

/** Makes diagnostics of one rule. */
export function reporter(graph: Graph, rule: string, severity: Severity) {
  return (message: string, { place = null, node, edge, fix }: Finding = {}): Diagnostic => ({
    rule,
    severity,
    message,
    file: graph.file,
    line: place?.line ?? null,
    column: place?.column ?? null,
    ...(node !== undefined && { node }),
    ...(edge !== undefined && { edge }),
    ...(fix !== undefined && { fix }),
  })
}
