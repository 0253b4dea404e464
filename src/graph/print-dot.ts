import type { Attribute, Attributes, Graph } from './graph.js'
import { classOfLabel } from './stylesheet.js'

/** Prints DOT that parses to the same graph; values of a printed stylesheet are left out. */
export function printDot(graph: Graph): string {
  const lines = [`digraph ${graph.name === null ? '' : `${name(graph.name)} `}{`]
  const own = list(graph.attributes)
  if (own !== '') lines.push(`  graph${own}`)
  for (const node of graph.nodes.values()) {
    const classes = withClasses(node.attributes, node.subgraphs)
    if (!node.isImplicit || classes !== '') lines.push(`  ${name(node.id)}${classes}`)
  }
  for (const edge of graph.edges) lines.push(`  ${name(edge.from)} -> ${name(edge.to)}${list(edge.attributes)}`)
  return `${lines.join('\n')}\n}\n`
}

/** The parser flattens subgraphs: the classes they gave a node are printed with the node. */
function withClasses(attributes: Attributes, subgraphs: readonly string[]): string {
  if (subgraphs.length === 0) return list(attributes)
  const derived = subgraphs.map(classOfLabel).filter(Boolean)
  if (derived.length === 0) return list(attributes)
  const own = attributes.get('class')?.value
  const value = [...(own ? [own] : []), ...derived].join(' ')
  const classed: Attribute = { value, isQuoted: true, position: null, origin: 'own' }
  return list(new Map([...attributes, ['class', classed]]))
}

function list(attributes: Attributes): string {
  const shown = [...attributes].filter(([, { origin }]) => origin !== 'stylesheet')
  if (shown.length === 0) return ''
  return ` [${shown.map(([key, attribute]) => `${key}=${value(attribute)}`).join(', ')}]`
}

function value({ value: text, isQuoted }: Attribute): string {
  return isQuoted || !BARE.test(text) ? quote(text) : text
}

const BARE = /^(?:[A-Za-z_][A-Za-z0-9_.:/-]*|-?(?:\d+\.\d*|\.\d+|\d+)(?:ms|s|m|h|d)?)$/
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const KEYWORDS = new Set(['graph', 'digraph', 'node', 'edge', 'subgraph', 'strict'])

function name(id: string): string {
  return NAME.test(id) && !KEYWORDS.has(id.toLowerCase()) ? id : quote(id)
}

function quote(text: string): string {
  return `"${text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n').replace(/\t/g, '\\t')}"`
}
