export {
  type AttributeSpec,
  EDGE_ATTRIBUTES,
  FIDELITIES,
  type Fidelity,
  GRAPH_ATTRIBUTES,
  NODE_ATTRIBUTES,
} from './attribute-table.js'
export { AttributeReader, durationOf } from './attribute-value.js'
export { type Condition, type ConditionScope, evaluate, parseCondition, valueText } from './condition.js'
export { type Drawing, type DrawnState, drawDot } from './draw-dot.js'
export { drawPlain } from './draw-plain.js'
export {
  type Attribute,
  type Attributes,
  edgesFrom,
  type Graph,
  type GraphEdge,
  type GraphNode,
  textOf,
} from './graph.js'
export { BUILT_IN_HANDLERS, handlerOf, SHAPE_HANDLERS } from './handler-of.js'
export { findJoin } from './join.js'
export {
  type AgentFacts,
  agentOf,
  type Diagnostic,
  type LintFacts,
  type LintRule,
  lint,
  lintParsed,
} from './lint/index.js'
export { PARSE_LIMITS, type Parsed, type ParseLimits, parseDot } from './parse-dot.js'
export { printDot } from './print-dot.js'
export { normaliseLabel, type Route, type RoutedOutcome, selectEdge } from './select-edge.js'
export { applyStylesheet, classesOf, parseStylesheet } from './stylesheet.js'
export { isExit, isTerminal, startNodes, terminalNodes } from './terminals.js'
