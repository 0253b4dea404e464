import { type GraphNode, textOf } from './graph.js'

/** The handler that a shape selects. */
export const SHAPE_HANDLERS: Readonly<Record<string, string>> = {
  Mdiamond: 'start',
  Msquare: 'exit',
  box: 'codergen',
  hexagon: 'wait.human',
  diamond: 'conditional',
  component: 'parallel',
  tripleoctagon: 'parallel.fan_in',
  parallelogram: 'tool',
  house: 'stack.manager_loop',
  tab: 'prompt',
  insulator: 'wait',
}

/** Handlers that ship with the engine; more can be registered. */
export const BUILT_IN_HANDLERS: readonly string[] = [...new Set([...Object.values(SHAPE_HANDLERS), 'pipeline', 'code'])]

/** Names that other engines use for the same handlers. */
const TYPE_SYNONYMS: Readonly<Record<string, string>> = {
  agent: 'codergen',
  command: 'tool',
  human: 'wait.human',
  subgraph: 'pipeline',
}

/** The handler that a `type` names; null if there is none. A registered name comes first. */
export function handlerOfType(type: string, known: readonly string[] = BUILT_IN_HANDLERS): string | null {
  if (known.includes(type)) return type
  return Object.hasOwn(TYPE_SYNONYMS, type) ? TYPE_SYNONYMS[type]! : null
}

/** The handler of a node: from its type if that is known, else from its shape, else `codergen`. */
export function handlerOf(node: GraphNode, known: readonly string[] = BUILT_IN_HANDLERS): string {
  const type = textOf(node.attributes, 'type', 'node_type')
  const named = type === null ? null : handlerOfType(type, known)
  if (named !== null) return named
  const shape = textOf(node.attributes, 'shape') ?? 'box'
  return (Object.hasOwn(SHAPE_HANDLERS, shape) ? SHAPE_HANDLERS[shape] : undefined) ?? 'codergen'
}
