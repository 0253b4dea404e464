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

/** A rule inspects a graph and returns what it finds. */
export type LintRule = (graph: Graph, facts: LintFacts) => Diagnostic[]

/** What the linter knows besides the graph. */
export interface LintFacts {
  /** The registered handlers. */
  handlers: readonly string[]
  /** The registered functions of `code` nodes. */
  functions: readonly string[]
  /** Whether a prompt file exists and is inside the repository; null if files cannot be checked. */
  promptFile: ((path: string) => 'ok' | 'missing' | 'outside') | null
  /** Whether the graph of a child run exists; null if files cannot be checked. */
  childGraph: ((named: string) => 'ok' | 'missing' | 'outside') | null
  /** The agents of a run that is about to start; null if only the graph is checked. */
  agents: AgentFacts | null
}

export interface AgentFacts {
  /** The agent of nodes that name none. */
  defaultAgent: string | null
  /** Why an agent cannot be used; null if it can. */
  problem(agent: string): string | null
  /** The permission levels it supports. */
  levels(agent: string): readonly string[]
  /** Whether its program offers a setting, by the name of the attribute. */
  offers(agent: string, setting: string): boolean
}

export interface LintFinding {
  position?: Position | null
  node?: string
  edge?: string
  fix?: string
}

/** Returns a function that makes diagnostics of one rule. */
export function reporter(graph: Graph, rule: string, severity: Severity) {
  return (message: string, { position = null, node, edge, fix }: LintFinding = {}): Diagnostic => ({
    rule,
    severity,
    message,
    file: graph.file,
    line: position?.line ?? null,
    column: position?.column ?? null,
    ...(node !== undefined && { node }),
    ...(edge !== undefined && { edge }),
    ...(fix !== undefined && { fix }),
  })
}
