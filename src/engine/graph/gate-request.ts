import { type ApprovalRequest, fingerprintOf, sha256 } from '../../approvals/index.js'
import {
  AttributeReader,
  contextValue,
  edgesFrom,
  type Graph,
  type GraphEdge,
  type GraphNode,
  gateOptions,
  NODE_ATTRIBUTES,
  normaliseLabel,
  takesText,
  textOf,
  valueText,
} from '../../graph/index.js'
import { visibleValue } from '../../text/index.js'
import type { AutomaticAnswer } from '../workflow.js'
import { type Cursor, type GraphWork, type Question, stepName } from './graph-work.js'

/** The edge named by `human.default_choice`: by label, key or target. */
export function defaultEdge(
  graph: Graph,
  node: GraphNode,
  context: Readonly<Record<string, unknown>>,
): GraphEdge | null {
  const choice = textOf(node.attributes, 'human.default_choice')
  if (choice === null) return null
  const options = gateOptions(graph, node, context)
  const wanted = normaliseLabel(choice)
  const option = options.find(
    ({ key, label }) => key.toLowerCase() === choice.toLowerCase() || normaliseLabel(label) === wanted,
  )
  const edges = edgesFrom(graph, node.id).filter(edge => options.some(({ edge: id }) => id === edge.id))
  return edges.find(edge => edge.id === option?.edge) ?? edges.find(edge => edge.to === choice) ?? null
}

/** The edge that accepts typed text. */
export function freeformEdge(graph: Graph, node: GraphNode): string | undefined {
  return edgesFrom(graph, node.id).find(edge => textOf(edge.attributes, 'freeform') === 'true')?.id
}

/** The answer of an auto-approved run: the first option. */
export function firstAnswer({ graph }: GraphWork, { context }: Cursor, node: GraphNode): AutomaticAnswer {
  const [first] = gateOptions(graph, node, context)
  return first ? { option: first.key } : { text: 'yes' }
}

/** The answer of a dry run: from its script, else the first option. */
export function simulatedAnswer(
  work: GraphWork,
  cursor: Cursor,
  node: GraphNode,
): { option: string; label: string; text?: string } {
  const { dryRun } = work.input
  const options = gateOptions(work.graph, node, cursor.context)
  const scripted = dryRun?.[`${node.id}@${cursor.visit}`] ?? dryRun?.[node.id]
  const wanted = scripted?.preferred_label ?? scripted?.option
  const named =
    typeof wanted === 'string'
      ? options.find(({ key, label }) => key === wanted || normaliseLabel(label) === normaliseLabel(wanted))
      : undefined
  const option = named ?? options[0]
  return option ? { option: option.key, label: option.label } : { option: '', label: '', text: 'yes' }
}

/** A gate as a request in the ledger, bound to this node, visit and set of options. */
export function gateRequest(
  work: GraphWork,
  cursor: Cursor,
  node: GraphNode,
): { request: ApprovalRequest; timeoutMs: number | null } {
  const read = new AttributeReader(node.attributes, NODE_ATTRIBUTES)
  const text = textOf(node.attributes, 'prompt', 'llm_prompt') ?? textOf(node.attributes, 'label') ?? node.id
  const request = requestOf(work, {
    gate: stepName(cursor),
    kind: (read.text('human.kind') ?? 'gate') as 'gate' | 'plan' | 'review',
    tool: node.id,
    title: textOf(node.attributes, 'label') ?? node.id,
    text: filled(text, work, cursor),
    isMulti: read.text('human.type') === 'multi',
    isFree: takesText(work.graph, node),
    options: gateOptions(work.graph, node, cursor.context).map(({ edge, ...option }) => ({
      ...option,
      ...(leadsBack(work.graph, edge, node.id) && { takes: 'note' as const }),
    })),
  })
  return { request, timeoutMs: read.durationMs('human.timeout') }
}

/** The edge sends work back, and the gate asks again: a person may say what should change. */
function leadsBack(graph: Graph, edge: string, gate: string): boolean {
  const seen = new Set<string>()
  const next = graph.edges.filter(({ id }) => id === edge).map(({ to }) => to)
  for (let node = next.pop(); node !== undefined; node = next.pop()) {
    if (node === gate) return true
    if (seen.has(node)) continue
    seen.add(node)
    next.push(...edgesFrom(graph, node).map(({ to }) => to))
  }
  return false
}

/** A question that came up in the middle of a node, as a request. */
export function questionRequest(work: GraphWork, cursor: Cursor, gate: string, question: Question): ApprovalRequest {
  const { text, options, input, takesEdits, permission } = question
  return requestOf(work, {
    gate,
    kind: question.kind ?? 'gate',
    tool: permission?.tool ?? cursor.node,
    ...(permission && { permission }),
    title: question.title ?? `${cursor.node}: a question`,
    text,
    isMulti: question.isMulti === true,
    isFree: question.takesText === true,
    options,
    ...(input && { input }),
    ...(takesEdits && { takesEdits }),
  })
}

/** Fills in values that the context has by now; unknown placeholders stay as written. */
export function filled(text: string, work: GraphWork, { context }: Cursor): string {
  return text.replace(/\{([\w.-]+)\}|\$(\w+)/g, (whole, key: string | undefined, name: string | undefined) => {
    if (key !== undefined) {
      const value = contextValue(context, key)
      return value === undefined ? whole : valueText(value)
    }
    if (name === 'goal') return textOf(work.graph.attributes, 'goal') ?? ''
    return work.input.inputs[name!] ?? whole
  })
}

interface Asked {
  gate: string
  kind: NonNullable<Question['kind']>
  permission?: NonNullable<Question['permission']>
  tool: string
  title: string
  text: string
  isMulti: boolean
  isFree: boolean
  options: Question['options']
  input?: Record<string, unknown>
  takesEdits?: boolean
}

function requestOf({ cwd, run }: GraphWork, asked: Asked): ApprovalRequest {
  const { gate, kind, tool, title, text, isMulti, isFree, input = null, takesEdits = false, permission } = asked
  const options = asked.options.map(({ key, label, meaning = 'choice', takes, isAlone }) => ({
    key,
    label,
    meaning,
    from: 'signalbox' as const,
    danger: null,
    ...(takes && { takes }),
    ...(isAlone && { isAlone }),
  }))
  const questions = [{ text, multi: isMulti }]
  const shown = visibleValue(text)
  const blocks = shown.pieces.map(piece => ({ ...piece, kind: 'value' }))
  return {
    kind,
    subject: { agent: 'signalbox', run, effect: `${run}/${gate}`, project: cwd, cwd, hostName: '' },
    request: { tool, input, text, questions, options, freeText: isFree ? 'optional' : 'none' },
    source: { channel: 'run', requestKey: gate, evidence: [], ...(takesEdits && { can: ['edit' as const] }) },
    fingerprint: fingerprintOf({
      kind,
      agent: 'signalbox',
      session: `${run}/${gate}`,
      tool,
      input,
      text,
      cwd,
      questions,
      options,
    }),
    ...(permission && { sharedFingerprint: sharedFingerprint(cwd, permission) }),
    instance: gate,
    risk: permission ? { level: 'elevated', reasons: [permission.risk] } : { level: 'low', reasons: [] },
    ...(permission?.neverAuto !== undefined && { neverAuto: permission.neverAuto }),
    display: {
      title,
      blocks,
      findings: shown.findings.map(({ what, count }) => ({ what, count })),
      hash: sha256(JSON.stringify({ title, blocks })),
    },
  }
}

/** What two permissions have in common when a grant for one covers the other. */
function sharedFingerprint(cwd: string, { tool, same }: NonNullable<Question['permission']>): string {
  const nothing = { text: null, questions: [], options: [] }
  return fingerprintOf({ kind: 'permission', agent: 'signalbox', session: '', tool, input: same, cwd, ...nothing })
}
