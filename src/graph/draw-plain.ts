import { nodeWord } from '../text/index.js'
import { type Drawing, FILL } from './draw-dot.js'
import { edgesFrom, type Graph } from './graph.js'
import { handlerOf } from './handler-of.js'
import { labelOf, startNodes } from './terminals.js'

const WIDTH = 110
const HEIGHT = 26
const GAP_X = 14
const GAP_Y = 34
const MARGIN = 20
/** A layer with more nodes than this wraps to another row. */
const ROW_MAX = 40
const LABEL_MAX = 18

/**
 * A drawing without Graphviz, for graphs on which Graphviz would take too long: nodes in rows by
 * their distance from the start, edges as straight lines. It is plain, but its time grows only
 * linearly with the graph.
 */
export function drawPlain(graph: Graph, { states, taken }: Drawing = {}): string {
  const places = new Map<string, { x: number; y: number }>()
  let row = 0
  let widest = 0
  for (const layer of layersOf(graph))
    for (let from = 0; from < layer.length; from += ROW_MAX, row++)
      layer.slice(from, from + ROW_MAX).forEach((id, column) => {
        widest = Math.max(widest, column + 1)
        places.set(id, { x: MARGIN + column * (WIDTH + GAP_X), y: MARGIN + row * (HEIGHT + GAP_Y) })
      })
  const width = 2 * MARGIN + widest * (WIDTH + GAP_X)
  const height = 2 * MARGIN + row * (HEIGHT + GAP_Y)
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Helvetica, sans-serif" font-size="10">`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
  ]
  for (const { id, from, to } of graph.edges) {
    const [a, b] = [places.get(from), places.get(to)]
    if (!a || !b) continue
    const colour = taken?.has(id) ? '#2f7d3b' : '#bbbbbb'
    lines.push(
      `<line x1="${a.x + WIDTH / 2}" y1="${a.y + HEIGHT}" x2="${b.x + WIDTH / 2}" y2="${b.y}" stroke="${colour}"/>`,
    )
  }
  for (const node of graph.nodes.values()) {
    const { x, y } = places.get(node.id)!
    const state = states?.get(node.id)
    const label = labelOf(graph, node)
    lines.push(
      `<g class="node ${state?.status ?? 'unreached'}"><title>${xml(`${node.id} (${handlerOf(node)})${state ? `: ${nodeWord(state.status)}` : ''}`)}</title>` +
        `<rect x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" rx="4" fill="${state ? FILL[state.status] : '#ffffff'}" stroke="#555555"/>` +
        `<text x="${x + WIDTH / 2}" y="${y + HEIGHT / 2 + 3}" text-anchor="middle">${xml(label.length > LABEL_MAX ? `${label.slice(0, LABEL_MAX - 1)}…` : label)}</text></g>`,
    )
  }
  return `${lines.join('\n')}\n</svg>\n`
}

/** Nodes by their distance from the start; unreachable ones come last. */
function layersOf(graph: Graph): string[][] {
  const seen = new Set<string>()
  const layers: string[][] = []
  let layer = startNodes(graph).map(({ id }) => id)
  for (const id of layer) seen.add(id)
  while (layer.length > 0) {
    layers.push(layer)
    const further: string[] = []
    for (const id of layer)
      for (const { to } of edgesFrom(graph, id)) {
        if (seen.has(to) || !graph.nodes.has(to)) continue
        seen.add(to)
        further.push(to)
      }
    layer = further
  }
  const rest = [...graph.nodes.keys()].filter(id => !seen.has(id))
  return rest.length > 0 ? [...layers, rest] : layers
}

/** Escapes text for XML, which does not allow control characters at all. */
function xml(text: string): string {
  const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return [...text].map(character => marks[character] ?? (character < ' ' ? ' ' : character)).join('')
}
