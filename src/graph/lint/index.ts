/*
 * The linter of graphs. A rule is a function from a graph to diagnostics: structure.ts (nodes,
 * edges, start and exit), attributes.ts (values), routing.ts (conditions and what they need),
 * agents.ts (what an agent offers). diagnostic.ts has the types. To add a rule: export it from one
 * of these files.
 */

import type { Graph } from '../graph.js'
import { BUILT_IN_HANDLERS } from '../handler-of.js'
import type { Parsed } from '../parse-dot.js'
import { agentKnown, attributeUnused, permissionsLevel } from './agents.js'
import * as attributes from './attributes.js'
import { type Diagnostic, type LintFacts, type LintRule, reporter } from './diagnostic.js'
import * as routing from './routing.js'
import * as structure from './structure.js'

export type { AgentFacts, Diagnostic, LintFacts, LintRule } from './diagnostic.js'

const RULES: readonly LintRule[] = [
  ...Object.values(structure),
  ...Object.values(attributes).filter(isRule),
  ...Object.values(routing),
  agentKnown,
  permissionsLevel,
  attributeUnused,
]

function isRule(value: unknown): value is LintRule {
  return typeof value === 'function' && value !== attributes.positionInside
}

const NO_FACTS: LintFacts = {
  handlers: BUILT_IN_HANDLERS,
  functions: [],
  promptFile: null,
  childGraph: null,
  agents: null,
}

/** Errors, warnings and notes about a graph, in file order. */
export function lint(graph: Graph, facts: Partial<LintFacts> = {}, extra: readonly LintRule[] = []): Diagnostic[] {
  const known = { ...NO_FACTS, ...facts }
  return [...RULES, ...extra].flatMap(rule => rule(graph, known)).sort(byPosition)
}

/** Parser problems as diagnostics, plus those of the rules. */
export function lintParsed(
  { graph, problems, duplicates }: Parsed,
  facts: Partial<LintFacts> = {},
  extra: readonly LintRule[] = [],
): Diagnostic[] {
  const syntax = reporter(graph, 'syntax', 'error')
  const duplicate = reporter(graph, 'duplicate_attribute', 'warning')
  const found = [
    ...problems.map(({ message, position, fix }) => syntax(message, { position, ...(fix !== undefined && { fix }) })),
    ...duplicates.map(({ node, key, position }) =>
      duplicate(`${key} of "${node}" was already set to another value`, { position, node }),
    ),
  ]
  // The rules would report what could not be parsed again, as missing.
  return problems.length > 0 ? found.sort(byPosition) : [...found, ...lint(graph, facts, extra)].sort(byPosition)
}

function byPosition(a: Diagnostic, b: Diagnostic): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
}
