import { type Condition, clausesOf, parseCondition } from './condition.js'
import { couldHold } from './evaluate-condition.js'
import { edgesFrom, type Graph, type GraphEdge, type GraphNode, textOf } from './graph.js'

/** An option of a gate: one of its edges, with the label that people see. */
export interface GateOption {
  key: string
  label: string
  edge: string
}

/**
 * The options of a gate: its edges, except those that take typed text and those that only handle
 * the failure of the gate itself. A condition does not keep an edge from being an option, because
 * the answer decides what the condition asks about; but an edge whose condition is false whatever
 * the answer is not offered.
 *
 * Each option has a key: the accelerator in its label, else its first free letter, else a number.
 */
export function gateOptions(
  graph: Graph,
  node: GraphNode,
  context: Readonly<Record<string, unknown>> | null = null,
): GateOption[] {
  const edges = optionEdges(graph, node).filter(edge => context === null || mayBeChosen(edge, context))
  const taken = new Set<string>()
  const wanted = edges.map(edge => keyOf(edge))
  for (const key of wanted) if (key !== null) taken.add(key)
  return edges.map((edge, index) => {
    const label = labelOf(edge)
    const own = wanted[index]
    if (own !== null && own !== undefined && wanted.indexOf(own) === index) return { key: own, label, edge: edge.id }
    const letter = [...label.toUpperCase()].find(character => /[A-Z]/.test(character) && !taken.has(character))
    const key = letter ?? String(index + 1)
    taken.add(key)
    return { key, label, edge: edge.id }
  })
}

/** The edges of a gate that are options, whatever the context. */
export function optionEdges(graph: Graph, node: GraphNode): GraphEdge[] {
  const edges = edgesFrom(graph, node.id).filter(edge => textOf(edge.attributes, 'freeform') !== 'true')
  // Where every edge has a condition, `outcome=fail` is how the author wrote "No".
  if (edges.every(edge => conditionOf(edge) !== null)) return edges
  return edges.filter(edge => !isFailureRoute(edge))
}

/** Typed text is an answer: an edge accepts it, or the gate is a free question. */
export function takesText(graph: Graph, node: GraphNode): boolean {
  return (
    textOf(node.attributes, 'human.type') === 'freeform' ||
    edgesFrom(graph, node.id).some(edge => textOf(edge.attributes, 'freeform') === 'true')
  )
}

/** The accelerator at the start of an option's label: `[K] x`, `K) x`, `K - x`. */
export function acceleratorOf(edge: GraphEdge): string | null {
  const match = /^\s*(?:\[(.)\]\s|(\S)\)\s|(\S) - )/.exec(textOf(edge.attributes, 'label') ?? '')
  return (match?.[1] ?? match?.[2] ?? match?.[3])?.toUpperCase() ?? null
}

function keyOf(edge: GraphEdge): string | null {
  return acceleratorOf(edge) ?? literalOf(edge, ['human.gate.selected'])
}

function labelOf(edge: GraphEdge): string {
  return (
    textOf(edge.attributes, 'label') || literalOf(edge, ['human.gate.label', 'preferred_label', 'outcome']) || edge.to
  )
}

/** The value that a condition requires of one of these keys. */
function literalOf(edge: GraphEdge, keys: readonly string[]): string | null {
  const clauses = clausesOf(conditionOf(edge) ?? NO_CONDITION)
  for (const key of keys) {
    const found = clauses.find(clause => clause.operator === '=' && withoutContextPrefix(clause.key) === key)
    if (found) return found.literal
  }
  return null
}

const NO_CONDITION: Condition = { alternatives: [], extensions: [] }

/** Null for an edge without a condition. One that cannot be parsed is reported by the linter. */
function conditionOf(edge: GraphEdge): Condition | null {
  const text = textOf(edge.attributes, 'condition') ?? ''
  const parsed = text.trim() === '' ? null : parseCondition(text)
  return parsed === null ? null : 'problem' in parsed ? NO_CONDITION : parsed.condition
}

/** Keys that the answer to the gate sets. */
function isDecidedByAnswer(key: string): boolean {
  return (
    isAboutOutcome(key) ||
    withoutContextPrefix(key) === 'preferred_label' ||
    withoutContextPrefix(key).startsWith('human.gate.')
  )
}

function isAboutOutcome(key: string): boolean {
  return withoutContextPrefix(key) === 'outcome'
}

function withoutContextPrefix(key: string): string {
  return key.replace(/^context\./, '')
}

function mayBeChosen(edge: GraphEdge, context: Readonly<Record<string, unknown>>): boolean {
  const condition = conditionOf(edge)
  return condition === null || couldHold(condition, { outcome: '', preferredLabel: '', context }, isDecidedByAnswer)
}

/** True only if the gate failed: it was not answered in time, or it was skipped. */
function isFailureRoute(edge: GraphEdge): boolean {
  const condition = conditionOf(edge)
  if (condition === null) return false
  const holdsFor = (outcome: string) =>
    couldHold(condition, { outcome, preferredLabel: '', context: { outcome } }, key => !isAboutOutcome(key))
  return !holdsFor('success') && ['fail', 'retry', 'skipped'].some(holdsFor)
}
