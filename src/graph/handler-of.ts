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

/** The handler of a node: from its type if that is known, else from its shape, else `codergen`. */
export function handlerOf(node: GraphNode, known: readonly string[] = BUILT_IN_HANDLERS): string {
  const type = textOf(node.attributes, 'type', 'node_type')
  if (type !== null && known.includes(type)) return type
  const shape = textOf(node.attributes, 'shape') ?? 'box'
  return (Object.hasOwn(SHAPE_HANDLERS, shape) ? SHAPE_HANDLERS[shape] : undefined) ?? 'codergen'
}
