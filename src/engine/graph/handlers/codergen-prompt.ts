import {
  AttributeReader,
  BOOKKEEPING_KEYS,
  contextValue,
  type Fidelity,
  GRAPH_ATTRIBUTES,
  NODE_ATTRIBUTES,
  textOf,
  valueText,
} from '../../../graph/index.js'
import type { GraphStep } from '../graph-step.js'
import { isEngineKey } from '../graph-work.js'
import { routingContract } from './report-contract.js'

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

/** What a handler adds to the prompt of its agent. */
export interface PromptExtra {
  material: string
  /** How to report, instead of the routing contract. */
  contract: string
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
export function codergenPrompt(step: GraphStep, fidelity: Fidelity, extra?: PromptExtra): BuiltPrompt {
  const read = new AttributeReader(step.node.attributes, NODE_ATTRIBUTES)
  const own = read.text('prompt') ?? read.text('label') ?? step.node.id
  const { text, unknown } = fillIn(own, step)
  const contract = extra?.contract ?? routingContract(step)
  const parts = [
    preamble(step, fidelity),
    extra?.material ?? '',
    text,
    steeringMessages(step),
    partialResult(step),
    contract,
  ]
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
    const value = contextValue(context, key)
    if (value !== undefined) return shownText(value)
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

/** The start of a long text, with a note of how much is missing. */
function startOf(text: string): string {
  if (text.length <= VALUE_MAX) return text
  return `${text.slice(0, VALUE_MAX)}… (${text.length} characters; the first ${VALUE_MAX} are shown)`
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
    .filter(
      ([key]) =>
        !isEngineKey(key) && !key.startsWith('response.') && !BOOKKEEPING_KEYS.has(key) && key !== 'parallel.results',
    )
    .map(([key, value]) => `- ${key}: ${startOf(shownText(value))}`)
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

function messages({ context }: GraphStep, max: number): string {
  const lines = Object.entries(context)
    .filter(([key]) => key.startsWith('response.'))
    .map(([key, value]) => `--- ${key.slice('response.'.length)} ---\n${valueText(value)}`)
  const text = lines.join('\n').slice(-max)
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
function steeringMessages({ work }: GraphStep): string {
  return work.steering.length === 0 ? '' : `A message from the supervisor of this work:\n${work.steering.join('\n')}`
}

function partialResult({ cursor }: GraphStep): string {
  if (!cursor.salvage) return ''
  return `An earlier attempt at this was cut off. Continue from the work that exists; do not start over.${cursor.salvage.text ? ` Its last output:\n${cursor.salvage.text}` : ''}`
}
