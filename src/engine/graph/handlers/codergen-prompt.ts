import {
  AttributeReader,
  edgesFrom,
  type Fidelity,
  GRAPH_ATTRIBUTES,
  NODE_ATTRIBUTES,
  textOf,
  valueText,
} from '../../../graph/index.js'
import type { GraphStep } from '../graph-step.js'
import { isEngineKey } from '../graph-work.js'

const VALUE_MAX = 500
/** Characters; a token is about four of them. */
const SUMMARY_MAX: Readonly<Record<string, number>> = {
  'summary:low': 2_400,
  'summary:medium': 6_000,
  'summary:high': 12_000,
}

export interface BuiltPrompt {
  text: string
  /** Variables without a value. */
  unknown: string[]
}

/**
 * How much of the run so far the prompt includes: as the edge says, else the node, else the graph.
 */
export function fidelityOf({ graph, node, cursor }: GraphStep): Fidelity {
  const edge = graph.edges.find(candidate => candidate.id === cursor.edge)
  const own = (edge && textOf(edge.attributes, 'fidelity')) ?? textOf(node.attributes, 'fidelity')
  return (own ??
    new AttributeReader(graph.attributes, GRAPH_ATTRIBUTES).text('default_fidelity') ??
    'compact') as Fidelity
}

/**
 * Builds the prompt of an agent turn: a preamble by fidelity, the node's own prompt with its
 * variables filled in, and how to report.
 */
export function codergenPrompt(step: GraphStep, fidelity: Fidelity): BuiltPrompt {
  const read = new AttributeReader(step.node.attributes, NODE_ATTRIBUTES)
  const own = read.text('prompt') ?? read.text('label') ?? step.node.id
  const { text, unknown } = fillIn(own, step)
  const parts = [preamble(step, fidelity), text, steered(step), salvaged(step), routingContract(step)]
  return { text: `${parts.filter(part => part !== '').join('\n\n')}\n`, unknown }
}

/**
 * Replaces `{key}` and `{a.b}` from the context, `$goal` and `$input`; `{{key}}` is literal;
 * variables without a value stay as written.
 */
export function fillIn(text: string, { context, graph, work }: GraphStep): BuiltPrompt {
  const unknown = new Set<string>()
  const goal = textOf(graph.attributes, 'goal') ?? ''
  const filled = text.replace(/\{\{([\w.-]+)\}\}|\{([\w.-]+)\}|\$([A-Za-z_]\w*)/g, (whole, literal, key, name) => {
    if (literal !== undefined) return `{${literal}}`
    if (name !== undefined) {
      if (name === 'goal') return goal
      if (Object.hasOwn(work.input.inputs, name)) return work.input.inputs[name]!
      unknown.add(whole)
      return whole
    }
    if (Object.hasOwn(context, key)) return shownText(context[key])
    unknown.add(whole)
    return whole
  })
  return { text: filled, unknown: [...unknown] }
}

/** A value that is too large for a prompt is shown as a path. */
function shownText(value: unknown): string {
  const reference = value as { artifact?: unknown; path?: unknown } | null
  return typeof reference === 'object' && typeof reference?.artifact === 'string' && typeof reference.path === 'string'
    ? reference.path
    : valueText(value)
}

function preamble(step: GraphStep, fidelity: Fidelity): string {
  const goal = textOf(step.graph.attributes, 'goal') ?? ''
  if (fidelity === 'full') return ''
  const head = [goal && `Goal: ${goal}`, `Run: ${step.work.run}`].filter(Boolean).join('\n')
  if (fidelity === 'truncate') return head
  const done = step.work.finished
    .filter(({ node }) => !['start', 'exit'].includes(node.toLowerCase()))
    .map(
      ({ node, visit, status, notes }) =>
        `- ${node}${visit > 1 ? ` (visit ${visit})` : ''}: ${status}${notes ? ` — ${notes}` : ''}`,
    )
  const values = Object.entries(step.context)
    .filter(([key]) => !isEngineKey(key) && !key.startsWith('response.') && !ENGINE_KEYS.has(key))
    .map(([key, value]) => `- ${key}: ${shownText(value).slice(0, VALUE_MAX)}`)
  const max = SUMMARY_MAX[fidelity]
  const sections = [
    head,
    done.length > 0 && `Done so far:\n${(max === undefined ? done : lastOf(done, max / 2)).join('\n')}`,
    fidelity !== 'summary:low' &&
      values.length > 0 &&
      `Known so far:\n${(max === undefined ? values : lastOf(values, max / 2)).join('\n')}`,
    fidelity === 'summary:high' && messages(step, max! / 2),
  ]
  return sections.filter(Boolean).join('\n\n')
}

const ENGINE_KEYS = new Set([
  'outcome',
  'preferred_label',
  'current_node',
  'last_stage',
  'last_response',
  'failure_class',
])

function messages({ context }: GraphStep, max: number): string {
  const said = Object.entries(context)
    .filter(([key]) => key.startsWith('response.'))
    .map(([key, value]) => `--- ${key.slice('response.'.length)} ---\n${valueText(value)}`)
  const text = said.join('\n').slice(-max)
  return text === '' ? '' : `What was said:\n${text}`
}

/** As many of the last lines as fit. */
function lastOf(lines: readonly string[], max: number): string[] {
  const kept: string[] = []
  let left = max
  for (const line of [...lines].reverse()) {
    left -= line.length + 1
    if (left < 0) break
    kept.unshift(line)
  }
  return kept
}

/** Messages from a manager of this run since the last agent turn. */
function steered({ work }: GraphStep): string {
  return work.steering.length === 0 ? '' : `A message from the supervisor of this work:\n${work.steering.join('\n')}`
}

function salvaged({ cursor }: GraphStep): string {
  if (!cursor.salvage) return ''
  return `An earlier attempt at this was cut off. Continue from the work that exists; do not start over.${cursor.salvage.text ? ` Its last output:\n${cursor.salvage.text}` : ''}`
}

/** Included only if an edge depends on the answer. */
function routingContract({ graph, node }: GraphStep): string {
  const edges = edgesFrom(graph, node.id)
  const labels = edges.map(edge => textOf(edge.attributes, 'label') ?? '').filter(label => label !== '')
  const keys = new Set<string>()
  for (const edge of edges)
    for (const match of (textOf(edge.attributes, 'condition') ?? '').matchAll(/([A-Za-z_][\w.-]*)\s*(?:!?=|&&|$)/g))
      keys.add(match[1]!)
  if (labels.length === 0 && keys.size === 0) return ''
  const own = [...keys]
    .filter(key => !['outcome', 'preferred_label'].includes(key))
    .map(key => key.replace(/^context\./, ''))
  return [
    'What happens next depends on your answer. End it with exactly one JSON object:',
    '{"outcome": "success" | "fail" | …, "preferred_label": "…", "context_updates": {…}, "notes": "one line"}',
    labels.length > 0 && `"preferred_label" may be: ${labels.map(label => JSON.stringify(label)).join(', ')}.`,
    own.length > 0 && `"context_updates" should set: ${own.join(', ')}.`,
  ]
    .filter(Boolean)
    .join('\n')
}
