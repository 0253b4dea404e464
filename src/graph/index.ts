/*
 * Workflows as graphs: the DOT language, its attributes, the linter, the routing algorithm and the
 * drawings. Pure: text and values in, values out; the engine (src/engine/graph/) runs the graphs.
 *
 * Parts
 *
 * - lexer.ts, parse-dot.ts: DOT text → `Graph` plus every error with its position. print-dot.ts is
 *   the way back; a printed graph parses to the same graph.
 * - graph.ts: the `Graph` value itself. Attributes keep their text; what it means depends on the
 *   attribute's type.
 * - attribute-table.ts: every attribute of graphs, nodes and edges with type, default and
 *   description. The linter, `AttributeReader` (attribute-value.ts) and the reference page use it.
 * - handler-of.ts: which handler runs a node; agent-of.ts: which agent; terminals.ts: where a run
 *   starts and ends; join.ts: where the branches of a parallel node join.
 * - condition.ts, evaluate-condition.ts: conditions on edges (`outcome=success && tests!=0`);
 *   outcome-words.ts: the outcomes and the words that other engines use for them; stylesheet.ts:
 *   CSS-like rules that assign models and limits to nodes.
 * - gate-options.ts: the options that a gate offers, from its edges.
 * - select-edge.ts: the routing algorithm, which chooses the next edge after a node.
 * - routing-needs.ts: what the edges after a node ask about its report; context-keys.ts: the keys
 *   that the engine sets.
 * - lint/: rules that return diagnostics with a position and a fix.
 * - draw-dot.ts prepares a graph for Graphviz; draw-plain.ts draws it without, when it is large.
 *
 * Where to add what
 *
 * - An attribute: an entry in attribute-table.ts; read it with `AttributeReader` where it matters.
 * - A handler or a shape: handler-of.ts, then src/engine/ (its index says how).
 * - A lint rule: an exported `LintRule` in a file of lint/ (structure, attributes or routing), and
 *   a minimal graph that breaks it in lint/lint.test.ts.
 */

export { agentOf } from './agent-of.js'
export {
  EDGE_ATTRIBUTES,
  type Fidelity,
  GRAPH_ATTRIBUTES,
  NODE_ATTRIBUTES,
} from './attribute-table.js'
export { AttributeReader } from './attribute-value.js'
export { parseCondition } from './condition.js'
export { BOOKKEEPING_KEYS } from './context-keys.js'
export { type Drawing, type DrawnState, drawDot } from './draw-dot.js'
export { drawPlain } from './draw-plain.js'
export { contextValue, evaluate, valueText } from './evaluate-condition.js'
export { gateOptions, takesText } from './gate-options.js'
export {
  type Attribute,
  type Attributes,
  edgesFrom,
  type Graph,
  type GraphEdge,
  type GraphNode,
  textOf,
} from './graph.js'
export { BUILT_IN_HANDLERS, handlerOf } from './handler-of.js'
export { findJoin } from './join.js'
export {
  type AgentFacts,
  type Diagnostic,
  type LintRule,
  lint,
  lintParsed,
} from './lint/index.js'
export { isStatus, outcomeWord } from './outcome-words.js'
export { PARSE_LIMITS, type Parsed, parseDot } from './parse-dot.js'
export { printDot } from './print-dot.js'
export { describeValues, quoted, routingNeeds } from './routing-needs.js'
export { normaliseLabel, selectEdge } from './select-edge.js'
export { applyStylesheet, classesOf } from './stylesheet.js'
export { isExit, isTerminal, labelOf, startNodes } from './terminals.js'
