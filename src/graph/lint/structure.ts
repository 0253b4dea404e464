import { closestMatch } from '../../text/index.js'
import { NODE_ATTRIBUTES } from '../attribute-table.js'
import { AttributeReader } from '../attribute-value.js'
import { BOOKKEEPING_KEYS } from '../context-keys.js'
import type { Graph } from '../graph.js'
import { textOf } from '../graph.js'
import { handlerOf } from '../handler-of.js'
import { findJoin } from '../join.js'
import { isExit, startNodes, terminalNodes } from '../terminals.js'
import { type Diagnostic, type LintRule, reporter } from './diagnostic.js'

export const graphEmpty: LintRule = graph =>
  graph.nodes.size === 0 ? [reporter(graph, 'graph_empty', 'error')('the graph has no nodes')] : []

export const startNode: LintRule = graph => {
  const report = reporter(graph, 'start_node', 'error')
  const starts = startNodes(graph)
  if (graph.nodes.size === 0 || starts.length === 1) return []
  if (starts.length === 0) return [report('the graph has no start node', { fix: 'add: start [shape=Mdiamond]' })]
  const names = starts.map(node => node.id).join(', ')
  return [
    report(`the graph has ${starts.length} start nodes: ${names}`, {
      position: starts[1]!.position,
      node: starts[1]!.id,
      fix: 'keep only one',
    }),
  ]
}

export const terminalNode: LintRule = graph =>
  graph.nodes.size === 0 || terminalNodes(graph).length > 0
    ? []
    : [reporter(graph, 'terminal_node', 'error')('the graph has no exit node', { fix: 'add: exit [shape=Msquare]' })]

export const edgeTargetExists: LintRule = graph => {
  const report = reporter(graph, 'edge_target_exists', 'error')
  return graph.edges.flatMap(edge =>
    [edge.from, edge.to]
      .filter(id => !graph.nodes.has(id))
      .map(id =>
        report(`the edge ${edge.id} names an unknown node "${id}"`, { position: edge.position, edge: edge.id }),
      ),
  )
}

export const startNoIncoming: LintRule = graph => {
  const report = reporter(graph, 'start_no_incoming', 'error')
  const starts = new Set(startNodes(graph).map(node => node.id))
  return graph.edges
    .filter(edge => starts.has(edge.to))
    .map(edge =>
      report(`an edge leads to the start node "${edge.to}"`, {
        position: edge.position,
        edge: edge.id,
        fix: 'point it at the first working node',
      }),
    )
}

export const exitNoOutgoing: LintRule = graph => {
  const report = reporter(graph, 'exit_no_outgoing', 'error')
  return graph.edges
    .filter(edge => {
      const from = graph.nodes.get(edge.from)
      return from !== undefined && isExit(from)
    })
    .map(edge =>
      report(`an edge leaves the exit node "${edge.from}"`, {
        position: edge.position,
        edge: edge.id,
        fix: 'remove it, or give the node another shape',
      }),
    )
}

export const reachability: LintRule = graph => {
  const report = reporter(graph, 'reachability', 'error')
  const [start] = startNodes(graph)
  if (!start) return []
  const reached = reachableFrom(graph, start.id)
  return [...graph.nodes.values()]
    .filter(node => !reached.has(node.id))
    .map(node =>
      report(`"${node.id}" cannot be reached from the start node`, {
        position: node.position,
        node: node.id,
        fix: 'add an edge to it, or remove it',
      }),
    )
}

/** Follows edges and retry targets. */
function reachableFrom(graph: Graph, start: string): Set<string> {
  const next = new Map<string, string[]>()
  const link = (from: string, to: string | null) => {
    if (to === null || !graph.nodes.has(to)) return
    const known = next.get(from)
    if (known) known.push(to)
    else next.set(from, [to])
  }
  for (const edge of graph.edges) link(edge.from, edge.to)
  for (const node of graph.nodes.values())
    for (const key of ['retry_target', 'fallback_retry_target']) link(node.id, textOf(node.attributes, key))
  const reached = new Set([start])
  const open = [start]
  for (const key of ['retry_target', 'fallback_retry_target']) {
    const target = textOf(graph.attributes, key)
    if (target !== null && graph.nodes.has(target) && !reached.has(target)) {
      reached.add(target)
      open.push(target)
    }
  }
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const to of next.get(id) ?? []) {
      if (reached.has(to)) continue
      reached.add(to)
      open.push(to)
    }
  }
  return reached
}

/** A node with the name of an engine key would hide it. */
export const nameReserved: LintRule = graph => {
  const report = reporter(graph, 'name_reserved', 'error')
  return [...graph.nodes.values()]
    .filter(node => BOOKKEEPING_KEYS.has(node.id))
    .map(node =>
      report(`"${node.id}" is a reserved name of the engine`, {
        position: node.position,
        node: node.id,
        fix: 'rename the node',
      }),
    )
}

/**
 * Up to this many implicit nodes are compared with all names: with more of them, they are hardly
 * typing errors.
 */
const COMPARED_MAX = 100

export const implicitNode: LintRule = graph => {
  const report = reporter(graph, 'implicit_node', 'warning')
  const declared = [...graph.nodes.values()].filter(node => !node.isImplicit).map(node => node.id)
  return [...graph.nodes.values()]
    .filter(node => node.isImplicit && !isExit(node) && node.id.toLowerCase() !== 'start')
    .map((node, index) => {
      const close = index < COMPARED_MAX ? closestMatch(node.id, declared) : null
      return report(`"${node.id}" appears only in an edge`, {
        position: node.position,
        node: node.id,
        fix: close ? `did you mean "${close}"? Otherwise declare it` : `declare it: ${node.id} [label="…"]`,
      })
    })
}

export const joinRules: LintRule = graph => {
  const missing = reporter(graph, 'join_missing', 'warning')
  const ambiguous = reporter(graph, 'join_ambiguous', 'warning')
  const found: Diagnostic[] = []
  for (const node of graph.nodes.values()) {
    if (handlerOf(node) !== 'parallel') continue
    const join = findJoin(graph, node.id)
    if (join.node === null)
      found.push(
        missing(`the branches of "${node.id}" never join: the run ends after them`, {
          position: node.position,
          node: node.id,
          fix: 'lead all branches to one node',
        }),
      )
    else if (join.isAmbiguous)
      found.push(
        ambiguous(`the branches of "${node.id}" reach different fan-in nodes first`, {
          position: node.position,
          node: node.id,
          fix: `they join at "${join.node}"`,
        }),
      )
  }
  return found
}

export const childGraph: LintRule = (graph, { handlers, childGraph: look }) => {
  if (!look) return []
  const report = reporter(graph, 'child_graph', 'error')
  const check = (owner: { attributes: Graph['attributes'] }, keys: readonly string[], node?: string): Diagnostic[] =>
    keys.flatMap(key => {
      const named = owner.attributes.get(key)
      const state = named ? look(named.value) : 'ok'
      if (!named || state === 'ok') return []
      const what = state === 'missing' ? 'is neither a file nor a pipeline' : 'is outside the repository'
      return [
        report(`${key} "${named.value}" ${what}`, { position: named.position, ...(node !== undefined && { node }) }),
      ]
    })
  const files = ['stack.child_dotfile', 'stack.child_workflow']
  return [
    ...check(graph, files),
    ...[...graph.nodes.values()].flatMap(node => {
      const handler = handlerOf(node, handlers)
      if (handler === 'pipeline') return check(node, ['pipeline', 'sub_pipeline', 'graph_ref'], node.id)
      return handler === 'stack.manager_loop' ? check(node, files, node.id) : []
    }),
  ]
}

export const handlerAttributes: LintRule = (graph, { functions, handlers }) => {
  const report = reporter(graph, 'handler_attributes', 'error')
  return [...graph.nodes.values()].flatMap(node => {
    const read = new AttributeReader(node.attributes, NODE_ATTRIBUTES)
    const at = { position: node.position, node: node.id }
    switch (handlerOf(node, handlers)) {
      case 'tool':
        return read.text('tool_command')
          ? []
          : [report(`"${node.id}" has no command`, { ...at, fix: 'add tool_command="…"' })]
      case 'wait':
        return read.text('duration') ? [] : [report(`"${node.id}" has no duration`, { ...at, fix: 'add duration=5m' })]
      case 'stack.manager_loop': {
        const child =
          read.text('stack.child_dotfile') ??
          read.text('stack.child_dot_source') ??
          textOf(graph.attributes, 'stack.child_dotfile', 'stack.child_workflow')
        return child
          ? []
          : [report(`"${node.id}" has no child run to manage`, { ...at, fix: 'add stack.child_dotfile="…"' })]
      }
      case 'pipeline':
        return read.text('pipeline')
          ? []
          : [report(`"${node.id}" names no pipeline`, { ...at, fix: 'add pipeline="…"' })]
      case 'code': {
        const fn = read.text('fn')
        if (fn === null) return [report(`"${node.id}" names no function`, { ...at, fix: 'add fn="…"' })]
        if (functions.includes(fn)) return []
        const fix = 'export it as one of the functions of a module, and name that with --handlers'
        return [report(`unknown function "${fn}"`, { ...at, fix })]
      }
      case 'parallel':
        return read.text('join_policy') === 'k_of_n' && read.number('k') === null
          ? [report(`"${node.id}" does not say how many branches must succeed`, { ...at, fix: 'add k=2' })]
          : []
      default:
        return []
    }
  })
}
