import {
  type AttributeSpec,
  EDGE_ATTRIBUTES,
  FIDELITIES,
  GRAPH_ATTRIBUTES,
  NODE_ATTRIBUTES,
} from '../../../src/graph/attribute-table'
import type { Style } from '../diff/styled-text'

const TOKEN = /(\/\/.*|#.*)|("(?:[^"\\]|\\.)*"?)|\b(digraph|graph|subgraph|node|edge)\b|(->)|([A-Za-z_][\w.]*)(?=\s*=)/g
const CLASSES = ['tok-comment', 'tok-string', 'tok-keyword', 'tok-arrow', 'tok-name'] as const

/** The colours of one line of DOT. */
export function dotStyles(line: string): Style[] {
  return [...line.matchAll(TOKEN)].map(match => ({
    from: match.index,
    to: match.index + match[0].length,
    class: CLASSES[match.slice(1).findIndex(group => group !== undefined)]!,
  }))
}

/** What a shape stands for. */
const SHAPES: Readonly<Record<string, string>> = {
  Mdiamond: 'start of the graph',
  Msquare: 'end of the graph',
  box: 'a turn of an agent',
  parallelogram: 'a command',
  hexagon: 'a gate: a person answers',
  diamond: 'a condition',
  component: 'parallel branches',
  tripleoctagon: 'the join of parallel branches',
}
const CONDITIONS = ['outcome=success', 'outcome=fail']
const SHOWN_MAX = 8

export interface Completion {
  text: string
  about: string
}

/** What can be inserted at the cursor: attributes, their values, names of nodes. */
export function completions(text: string, at: number): { word: string; options: Completion[] } {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  // A condition has an = of its own.
  const word = /condition\s*=\s*"([^"]*)$/.exec(line)?.[1] ?? /[\w.:]*$/.exec(line)![0]
  const before = line.slice(0, line.length - word.length)
  const value = /([\w.]+)\s*=\s*"?$/.exec(before)?.[1]
  const pool = value === undefined ? namesAt(before, text) : valuesOf(value, before, text)
  if (word === '' && value === undefined) return { word, options: [] }
  return { word, options: pool.filter(offer => offer.text.startsWith(word) && offer.text !== word).slice(0, SHOWN_MAX) }
}

/** Attributes inside of brackets and strings apart; else nodes and attributes of the graph. */
function namesAt(before: string, text: string): Completion[] {
  const isInside = before.lastIndexOf('[') > before.lastIndexOf(']')
  if ((before.match(/"/g)?.length ?? 0) % 2 === 1) return []
  if (!isInside) return [...nodesOf(text), ...(/^\s*$/.test(before) ? offersOf(GRAPH_ATTRIBUTES) : [])]
  return offersOf(before.includes('->') ? EDGE_ATTRIBUTES : NODE_ATTRIBUTES)
}

function valuesOf(name: string, before: string, text: string): Completion[] {
  if (name === 'shape') return Object.entries(SHAPES).map(([shape, about]) => ({ text: shape, about }))
  const spec = (before.includes('->') ? EDGE_ATTRIBUTES : NODE_ATTRIBUTES)[name] ?? GRAPH_ATTRIBUTES[name]
  const plain = (values: readonly string[]) => values.map(value => ({ text: value, about: spec?.description ?? '' }))
  switch (spec?.type.is) {
    case 'one-of':
      return plain(spec.type.of)
    case 'boolean':
      return plain(['true', 'false'])
    case 'condition':
      return plain(CONDITIONS)
    case 'fidelity':
      return plain(FIDELITIES)
    case 'node':
      return nodesOf(text)
    default:
      return []
  }
}

function offersOf(table: Readonly<Record<string, AttributeSpec>>): Completion[] {
  return Object.entries(table).map(([name, { description }]) => ({
    text: name,
    about: description.replaceAll('`', ''),
  }))
}

/** Steps that the editor can add, as a person names them. */
export const STEPS: readonly { label: string; name: string; attributes: string }[] = [
  { label: 'Agent', name: 'step', attributes: 'shape=box, prompt="What to do"' },
  { label: 'Command', name: 'check', attributes: 'shape=parallelogram, tool_command="npm test"' },
  { label: 'Gate', name: 'gate', attributes: 'shape=hexagon, label="Is this right?"' },
]

/** The graph with one more node before its last brace, and the line of that node. */
export function withStep(text: string, { name, attributes }: (typeof STEPS)[number]): { text: string; line: number } {
  const taken = new Set(nodesOf(text).map(offer => offer.text))
  let own = name
  for (let count = 2; taken.has(own); count++) own = `${name}_${count}`
  const end = text.lastIndexOf('}')
  const head = (end < 0 ? text : text.slice(0, end)).trimEnd()
  return {
    text: `${head}\n  ${own} [${attributes}]\n${end < 0 ? '' : text.slice(end)}`,
    line: head.split('\n').length + 1,
  }
}

/** The line that declares a node, or the first that names it; null if none does. */
export function lineOf(text: string, node: string): number | null {
  const name = node.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const lines = text.split('\n')
  const at = [new RegExp(`^\\s*"?${name}"?\\s*\\[`), new RegExp(`\\b${name}\\b`)]
    .map(pattern => lines.findIndex(line => pattern.test(line)))
    .find(index => index >= 0)
  return at === undefined ? null : at + 1
}

function nodesOf(text: string): Completion[] {
  const names = [...text.matchAll(/^\s*([A-Za-z_]\w*)\s*(?:\[|->)|->\s*([A-Za-z_]\w*)/gm)].map(
    match => (match[1] ?? match[2])!,
  )
  return [...new Set(names)]
    .filter(name => !['node', 'edge', 'graph'].includes(name))
    .map(name => ({ text: name, about: 'a node of this graph' }))
}
