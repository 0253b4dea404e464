import { type NodeState, nodeWord, withoutKey } from '../text/index.js'
import { type Graph, type GraphEdge, type GraphNode, textOf } from './graph.js'
import { handlerOf } from './handler-of.js'
import { labelOf } from './terminals.js'

/** The state of a node in a run, for drawing it. */
export interface DrawnState {
  status: Exclude<NodeState, 'idle'>
  visits: number
  ms: number
}

export interface Drawing {
  /** By node; nodes without an entry were not reached. */
  states?: ReadonlyMap<string, DrawnState>
  /** Without the title, where the page around the drawing has it. */
  isUntitled?: boolean
  /** Edges that were followed, by id, and how often. */
  taken?: ReadonlyMap<string, number>
}

/** The colours of the states, the same in every drawing. */
export const FILL: Readonly<Record<DrawnState['status'], string>> = {
  success: '#d3f2d8',
  partial_success: '#f7efc0',
  fail: '#f9d2d0',
  retry: '#f7efc0',
  skipped: '#eeeeee',
  cancelled: '#dddddd',
  running: '#cfe4fb',
  paused: '#dddddd',
  interrupted: '#f9d2d0',
  waiting: '#fbe3c5',
}
const LABEL_MAX = 60
/** From this many nodes on, exact edge routing takes minutes. */
const STRAIGHT_FROM = 400

/** The graph for Graphviz to lay out: what people read, nothing that only the engine needs. */
export function drawDot(graph: Graph, { states, taken, isUntitled = false }: Drawing = {}): string {
  const rankdir = textOf(graph.attributes, 'rankdir') ?? 'TB'
  const title = isUntitled ? '' : textOf(graph.attributes, 'label') || textOf(graph.attributes, 'goal') || ''
  const lines = [
    'digraph {',
    `  graph [rankdir=${quote(rankdir)}, nodesep=0.4, ranksep=0.42, fontname="Helvetica", fontsize=12, labelloc=t, label=${quote(cut(title))}${graph.nodes.size > STRAIGHT_FROM ? ', splines=line, nslimit=2, mclimit=0.1' : ''}]`,
    '  node [fontname="Helvetica", fontsize=11, style="filled,rounded", fillcolor="#ffffff", color="#555555"]',
    '  edge [fontname="Helvetica", fontsize=10, color="#777777"]',
  ]
  for (const node of graph.nodes.values())
    lines.push(`  ${quote(node.id)} [${drawNode(graph, node, states?.get(node.id), states !== undefined)}]`)
  for (const edge of graph.edges) lines.push(`  ${quote(edge.from)} -> ${quote(edge.to)} [${drawEdge(edge, taken)}]`)
  return `${lines.join('\n')}\n}\n`
}

function drawNode(graph: Graph, node: GraphNode, state: DrawnState | undefined, hasStates: boolean): string {
  const shape = textOf(node.attributes, 'shape') ?? 'box'
  const name = labelOf(graph, node)
  const below = state
    ? [state.visits > 1 ? `${state.visits} visits` : '', state.ms >= 100 ? seconds(state.ms) : '']
    : []
  const small = below.filter(Boolean).join(', ')
  const tooltip = `${node.id} (${handlerOf(node)})${state ? `: ${nodeWord(state.status)}` : ''}`
  const parts = [
    `label=${quote([cut(name), small].filter(Boolean).join('\n'))}`,
    `shape=${quote(KNOWN_SHAPES.has(shape) ? shape : 'box')}`,
    `tooltip=${quote(tooltip)}`,
    `class=${quote(state?.status ?? 'unreached')}`,
  ]
  if (state) parts.push(`fillcolor="${FILL[state.status]}"`)
  else if (hasStates) parts.push('color="#bbbbbb"', 'fontcolor="#888888"')
  if (state?.status === 'running' || state?.status === 'waiting') parts.push('penwidth=2.5')
  return parts.join(', ')
}

function drawEdge(edge: GraphEdge, taken: Drawing['taken']): string {
  const label = textOf(edge.attributes, 'label') ?? ''
  const condition = textOf(edge.attributes, 'condition') ?? ''
  const count = taken?.get(edge.id) ?? 0
  const when = OUTCOMES[condition.replaceAll(' ', '')] ?? (condition && `[${condition}]`)
  const text = [withoutKey(label), condition !== label ? when : '', count > 1 ? `×${count}` : '']
  const words = cut(text.filter(Boolean).join(' '))
  // Padded, because Graphviz lets labels touch their edges.
  const parts = [`label=${quote(words === '' ? '' : `  ${words}  `)}`]
  if (count > 0) parts.push('penwidth=2', 'color="#222222"')
  else if (taken) parts.push('color="#bbbbbb"', 'fontcolor="#888888"')
  if (textOf(edge.attributes, 'loop_restart') === 'true') parts.push('style=dashed')
  return parts.join(', ')
}

/** Conditions that most graphs have, in words; others are shown as they are written. */
const OUTCOMES: Readonly<Record<string, string>> = {
  'outcome=success': 'done',
  'outcome=fail': 'failed',
  'outcome!=success': 'not done',
  'outcome!=fail': 'not failed',
}

/** Shapes that are drawn as they are; a start and an exit are plain nodes with a plain label. */
const KNOWN_SHAPES = new Set([
  'box',
  'hexagon',
  'diamond',
  'component',
  'tripleoctagon',
  'parallelogram',
  'house',
  'tab',
  'insulator',
  'ellipse',
  'circle',
  'doublecircle',
  'note',
  'folder',
  'cylinder',
  'octagon',
  'doubleoctagon',
  'oval',
  'rect',
  'rectangle',
  'square',
  'trapezium',
])

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > LABEL_MAX ? `${line.slice(0, LABEL_MAX)}…` : line
}

function seconds(ms: number): string {
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}

function quote(text: string): string {
  return `"${text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')}"`
}
