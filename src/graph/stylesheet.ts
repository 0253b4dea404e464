import { namesOf } from './attribute-value.js'
import { type Attribute, type Graph, type GraphNode, type Position, textOf } from './graph.js'

export interface StyleRule {
  selectors: Selector[]
  properties: Map<string, string>
}

type Selector = { kind: 'all' } | { kind: 'shape' | 'class' | 'id'; name: string }

export interface StyleProblem {
  message: string
  /** Index into the text of the sheet. */
  at: number
}

/** Properties that a sheet may set; named like node attributes. */
const STYLE_PROPERTIES: readonly string[] = [
  'llm_model',
  'llm_provider',
  'reasoning_effort',
  'agent',
  'temperature',
  'max_tokens',
  'permissions',
  'timeout',
  'max_retries',
  'fidelity',
]

const ALIASES: Readonly<Record<string, string>> = { model: 'llm_model', provider: 'llm_provider' }

/** Parses a model stylesheet: `selector, selector { property: value; … }`. */
export function parseStylesheet(text: string): { rules: StyleRule[]; problems: StyleProblem[] } {
  const rules: StyleRule[] = []
  const problems: StyleProblem[] = []
  const clean = text.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, comment => ' '.repeat(comment.length))
  let at = 0
  while (at < clean.length) {
    const open = clean.indexOf('{', at)
    const head = clean.slice(at, open < 0 ? clean.length : open)
    if (open < 0) {
      if (head.trim() !== '')
        problems.push({ message: `expected { after "${head.trim()}"`, at: at + head.search(/\S/) })
      break
    }
    const close = clean.indexOf('}', open)
    if (close < 0) {
      problems.push({ message: 'this { is not closed', at: open })
      break
    }
    const selectors = readSelectors(head, at, problems)
    const properties = readProperties(clean.slice(open + 1, close), open + 1, problems)
    if (selectors.length > 0) rules.push({ selectors, properties })
    at = close + 1
  }
  return { rules, problems }
}

function readSelectors(head: string, at: number, problems: StyleProblem[]): Selector[] {
  if (head.trim() === '') {
    problems.push({ message: 'expected a selector: *, a shape, .class or #id', at })
    return []
  }
  const selectors: Selector[] = []
  let offset = at
  for (const part of head.split(',')) {
    const word = part.trim()
    const match = /^(?:(\*)|\.([\w-]+)|#(\w+)|([A-Za-z_]\w*))$/.exec(word)
    if (match?.[1]) selectors.push({ kind: 'all' })
    else if (match?.[2]) selectors.push({ kind: 'class', name: match[2] })
    else if (match?.[3]) selectors.push({ kind: 'id', name: match[3] })
    else if (match?.[4]) selectors.push({ kind: 'shape', name: match[4] })
    else
      problems.push({
        message: `"${word}" is not a selector: *, a shape, .class or #id`,
        at: offset + Math.max(0, part.search(/\S/)),
      })
    offset += part.length + 1
  }
  return selectors
}

function readProperties(body: string, at: number, problems: StyleProblem[]): Map<string, string> {
  const properties = new Map<string, string>()
  let offset = at
  for (const part of body.split(/;|\n(?=\s*[\w.]+\s*:)/)) {
    const position = offset + Math.max(0, part.search(/\S/))
    offset += part.length + 1
    if (part.trim() === '') continue
    const colon = part.indexOf(':')
    if (colon < 0) {
      problems.push({ message: `expected property: value, found "${part.trim()}"`, at: position })
      continue
    }
    const given = part.slice(0, colon).trim()
    const name = ALIASES[given] ?? given
    const value = part
      .slice(colon + 1)
      .trim()
      .replace(/^(["'])(.*)\1$/s, '$2')
    if (!STYLE_PROPERTIES.includes(name)) problems.push({ message: `unknown property "${given}"`, at: position })
    else if (value === '') problems.push({ message: `${given} has no value`, at: position })
    else properties.set(name, value)
  }
  return properties
}

const SPECIFICITY = { all: 0, shape: 1, class: 2, id: 3 } as const

/** Applies the sheet to every node, unless the node sets the value itself. Returns a new graph. */
export function applyStylesheet(graph: Graph): Graph {
  const sheet = graph.attributes.get('model_stylesheet')
  if (!sheet || sheet.value.trim() === '') return graph
  const { rules } = parseStylesheet(sheet.value)
  const nodes = new Map([...graph.nodes].map(([id, node]) => [id, styled(node, rules)]))
  return { ...graph, nodes }
}

function styled(node: GraphNode, rules: readonly StyleRule[]): GraphNode {
  const best = new Map<string, { value: string; specificity: number }>()
  for (const { selectors, properties } of rules) {
    const specificity = Math.max(
      -1,
      ...selectors.filter(selector => matches(selector, node)).map(({ kind }) => SPECIFICITY[kind]),
    )
    if (specificity < 0) continue
    for (const [name, value] of properties) {
      const before = best.get(name)
      if (!before || specificity >= before.specificity) best.set(name, { value, specificity })
    }
  }
  const added = [...best].filter(([name]) => !hasOwn(node, name))
  if (added.length === 0) return node
  const attributes = new Map<string, Attribute>(node.attributes)
  const position: Position | null = null
  for (const [name, { value }] of added) attributes.set(name, { value, isQuoted: true, position, origin: 'stylesheet' })
  return { ...node, attributes }
}

function hasOwn(node: GraphNode, name: string): boolean {
  const aliases = Object.keys(ALIASES).filter(alias => ALIASES[alias] === name)
  return textOf(node.attributes, name, ...aliases, ...(name === 'agent' ? ['agent_tool'] : [])) !== null
}

function matches(selector: Selector, node: GraphNode): boolean {
  switch (selector.kind) {
    case 'all':
      return true
    case 'id':
      return node.id === selector.name
    case 'shape':
      return (textOf(node.attributes, 'shape') ?? 'box') === selector.name
    case 'class':
      return classesOf(node).includes(selector.name)
  }
}

/** The classes of a node: its own, and those from the labels of its subgraphs. */
export function classesOf(node: GraphNode): string[] {
  return [
    ...namesOf(textOf(node.attributes, 'class') ?? ''),
    ...node.subgraphs.map(classOfLabel).filter(name => name !== ''),
  ]
}

/** `Implementation Loop` → `implementation-loop`. */
export function classOfLabel(label: string): string {
  return label
    .toLowerCase()
    .trim()
    .replace(/\s+/g, '-')
    .replace(/[^a-z0-9-]/g, '')
}
