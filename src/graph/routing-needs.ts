import { namesOf } from './attribute-value.js'
import { type Clause, clausesOf, isComparison, parseCondition } from './condition.js'
import { bareKey, isSetByEngine } from './context-keys.js'
import { edgesFrom, type Graph, type GraphEdge, textOf } from './graph.js'
import { handlerOf } from './handler-of.js'
import { isStatus, outcomeWord } from './outcome-words.js'
import { normaliseLabel } from './select-edge.js'

/** What the edges after a node ask about its report. */
export interface RoutingNeeds {
  /** Outcomes that the conditions name, in the order of the edges. */
  outcomes: string[]
  /** Labels among which `preferred_label` chooses. */
  labels: string[]
  failureClasses: string[]
  /** Context keys that the conditions name, with their clauses. */
  keys: Map<string, Clause[]>
}

/**
 * Collects what the report of a node decides: the conditions and labels of its edges, and of the
 * edges of every diamond and parallel node right after it, because those see the same outcome.
 */
export function routingNeeds(graph: Graph, node: string): RoutingNeeds {
  const needs: RoutingNeeds = { outcomes: [], labels: [], failureClasses: [], keys: new Map() }
  const inputs = new Set(namesOf(textOf(graph.attributes, 'inputs') ?? ''))
  const seen = new Set<string>()
  const visit = (id: string, isDiamond: boolean) => {
    if (seen.has(id)) return
    seen.add(id)
    const edges = edgesFrom(graph, id)
    for (const clause of edges.flatMap(clausesOfEdge)) addClause(needs, clause, inputs)
    const handler = graph.nodes.has(id) ? handlerOf(graph.nodes.get(id)!) : ''
    if (handler !== 'parallel') addLabels(needs, edges, isDiamond)
    for (const { to } of edges) {
      const target = graph.nodes.get(to)
      const next = target ? handlerOf(target) : ''
      if (next === 'conditional' || next === 'parallel') visit(to, next === 'conditional')
    }
  }
  visit(node, false)
  return needs
}

function clausesOfEdge(edge: GraphEdge): readonly Clause[] {
  const parsed = parseCondition(textOf(edge.attributes, 'condition') ?? '')
  return 'problem' in parsed ? [] : clausesOf(parsed.condition)
}

function addClause(needs: RoutingNeeds, clause: Clause, inputs: ReadonlySet<string>): void {
  const key = bareKey(clause.key)
  const { operator, literal } = clause
  const isWord = (operator === '=' || operator === '!=') && literal !== ''
  if (key === 'outcome') {
    if (isWord) add(needs.outcomes, literal)
  } else if (key === 'preferred_label') {
    if (isWord) add(needs.labels, literal)
  } else if (key === 'failure_class') {
    if (isWord) add(needs.failureClasses, literal)
  } else if (!isSetByEngine(key) && !inputs.has(key)) {
    const known = needs.keys.get(key)
    if (known) known.push(clause)
    else needs.keys.set(key, [clause])
  }
}

/** Labels choose only among several edges without conditions. */
function addLabels(needs: RoutingNeeds, edges: readonly GraphEdge[], isDiamond: boolean): void {
  const plain = edges.filter(edge => (textOf(edge.attributes, 'condition') ?? '').trim() === '')
  if (plain.length < 2) return
  for (const edge of plain) {
    const label = textOf(edge.attributes, 'label') ?? ''
    if (label === '') continue
    // At a diamond the outcome itself chooses an edge by its label.
    const word = outcomeWord(normaliseLabel(label))
    if (isDiamond && isStatus(word)) add(needs.outcomes, word)
    else add(needs.labels, label)
  }
}

function add(list: string[], word: string): void {
  if (!list.includes(word)) list.push(word)
}

/** The values that clauses name for a key, as an author would list them, and one of them. */
export function describeValues(clauses: readonly Clause[]): { text: string; example: string | number | boolean } {
  const words = [
    ...new Set(clauses.filter(({ operator }) => operator === '=' || operator === '!=').map(({ literal }) => literal)),
  ].filter(word => word !== '')
  const numbers = clauses.filter(({ operator }) => isComparison(operator))
  const parts = clauses.filter(({ operator }) => operator === 'contains').map(({ literal }) => literal)
  if (words.length > 0) return describeWords(words)
  const [number] = numbers
  if (number) {
    const limits = [...new Set(numbers.map(({ operator, literal }) => `${operator} ${literal}`))]
    const step = number.operator === '>' ? 1 : number.operator === '<' ? -1 : 0
    return { text: `a number (checked: ${limits.join(', ')})`, example: Number(number.literal) + step }
  }
  const [part] = parts
  if (part !== undefined) return { text: `text or a list (checked for ${quoted(parts)})`, example: part }
  return { text: 'true or false', example: true }
}

function describeWords(words: readonly string[]): { text: string; example: string } {
  if (words.every(word => word === 'true' || word === 'false')) return { text: '"true" or "false"', example: 'true' }
  return { text: words.length === 1 ? `${quoted(words)} or another word` : quoted(words), example: words[0]! }
}

/** `"a", "b" or "c"` */
export function quoted(words: readonly string[]): string {
  const all = words.map(word => JSON.stringify(word))
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`
}
