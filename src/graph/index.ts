export {
  EDGE_ATTRIBUTES,
  type Fidelity,
  GRAPH_ATTRIBUTES,
  NODE_ATTRIBUTES,
} from './attribute-table.js'
export { AttributeReader } from './attribute-value.js'
export { evaluate, parseCondition, valueText } from './condition.js'
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
export { BUILT_IN_HANDLERS, handlerOf } from './handler-of.js'
export { findJoin } from './join.js'
export {
  type AgentFacts,
  agentOf,
  type Diagnostic,
  type LintRule,
  lint,
  lintParsed,
  WITHOUT_EFFECT,
} from './lint/index.js'
export { PARSE_LIMITS, type Parsed, type ParseLimits, parseDot } from './parse-dot.js'
export { printDot } from './print-dot.js'
export { normaliseLabel, selectEdge } from './select-edge.js'
export { applyStylesheet, classesOf } from './stylesheet.js'
export { isExit, isTerminal, startNodes } from './terminals.js'
