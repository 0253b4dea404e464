import { SignalboxError } from '../../errors/index.js'
import { type Drawing, type DrawnState, drawDot, edgesFrom, type Graph, handlerOf, textOf } from '../../graph/index.js'
import type { StoredEvent } from '../../store/index.js'
import { formatDuration } from '../../text/index.js'

/** Graphviz would lay out for minutes; nobody reads such a picture anyway. */
const SVG_NODES_MAX = 2_000

/** What happened in a run, node by node and edge by edge. */
export function drawingOf(events: readonly StoredEvent[]): Drawing {
  const states = new Map<string, DrawnState>()
  const taken = new Map<string, number>()
  const began = new Map<string, number>()
  const gates = new Map<string, string>()
  for (const { type, data, at } of events) {
    const node = String(data.node ?? '')
    const before = states.get(node)
    if (type === 'node.started') {
      began.set(`${String(data.branch ?? '')} ${node}`, at)
      states.set(node, { status: 'running', visits: (before?.visits ?? 0) + 1, ms: before?.ms ?? 0 })
    } else if (type === 'node.finished' && before) {
      const ms = before.ms + Math.max(0, at - (began.get(`${String(data.branch ?? '')} ${node}`) ?? at))
      states.set(node, { ...before, status: data.status as DrawnState['status'], ms })
    } else if (type === 'edge.selected' && typeof data.edge === 'string')
      taken.set(data.edge, (taken.get(data.edge) ?? 0) + 1)
    else if (type === 'branch.started') taken.set(String(data.edge), (taken.get(String(data.edge)) ?? 0) + 1)
    else if (type === 'gate.opened') gates.set(String(data.gate), nodeOfStep(String(data.gate)))
    else if (type === 'gate.answered' || type === 'gate.expired') gates.delete(String(data.gate))
  }
  for (const node of gates.values()) {
    const state = states.get(node)
    if (state) states.set(node, { ...state, status: 'waiting' })
  }
  return { states, taken }
}

/** `p@1.2/review@1#1` → `review` */
function nodeOfStep(step: string): string {
  const own = step.slice(step.lastIndexOf('/') + 1)
  return own.slice(0, own.indexOf('@'))
}

/** Laid out by Graphviz itself. @throws SignalboxError `E_LIMIT` */
export async function drawSvg(graph: Graph, drawing: Drawing): Promise<string> {
  if (graph.nodes.size > SVG_NODES_MAX)
    throw new SignalboxError('E_LIMIT', `${graph.nodes.size} nodes are too many for a picture (${SVG_NODES_MAX})`, {
      next: '-o file.dot for your own Graphviz, or -o file.md for a table',
    })
  const { instance } = await import('@viz-js/viz')
  return (await instance()).renderString(drawDot(graph, drawing), { format: 'svg', engine: 'dot' })
}

/** The graph as tables, for pages and for eyes that cannot see the picture. */
export function drawMarkdown(graph: Graph, { states, taken }: Drawing): string {
  const cell = (text: string) => text.replace(/\|/g, '\\|').replace(/\s+/g, ' ').trim()
  const title = textOf(graph.attributes, 'label') || textOf(graph.attributes, 'goal') || graph.name || 'Workflow'
  const lines = [`# ${cell(title)}`, '', '| node | handler | leads to |', '|---|---|---|']
  if (states) {
    lines[2] = '| node | handler | state | visits | time | leads to |'
    lines[3] = '|---|---|---|---|---|---|'
  }
  for (const node of graph.nodes.values()) {
    const label = textOf(node.attributes, 'label')
    const name = label && label !== node.id ? `\`${node.id}\` ${cell(label)}` : `\`${node.id}\``
    const state = states?.get(node.id)
    const own = states
      ? ` ${state?.status ?? '–'} | ${state?.visits ?? 0} | ${state ? formatDuration(state.ms) : '–'} |`
      : ''
    const targets = edgesFrom(graph, node.id).map(edge => {
      const why = textOf(edge.attributes, 'condition') || textOf(edge.attributes, 'label') || ''
      const mark = taken?.has(edge.id) ? ' ✓' : ''
      return `\`${edge.to}\`${why ? ` (${cell(why)})` : ''}${mark}`
    })
    lines.push(`| ${name} | ${handlerOf(node)} |${own} ${targets.join(', ')} |`)
  }
  return `${lines.join('\n')}\n`
}
