import { type ApprovalRequest, fingerprintOf, sha256 } from '../../approvals/index.js'
import {
  AttributeReader,
  edgesFrom,
  type Graph,
  type GraphEdge,
  type GraphNode,
  NODE_ATTRIBUTES,
  normaliseLabel,
  textOf,
} from '../../graph/index.js'
import { visibleValue } from '../../text/index.js'
import { type Cursor, type GraphWork, stepName } from './graph-work.js'

/** An option of a gate: an edge, named as people read it. */
export interface GateOption {
  key: string
  label: string
  edge: string
}

/** Edges of a gate that can be chosen, each with a key: the one its label names, else its first free letter, else a number. */
export function gateOptions(graph: Graph, node: GraphNode): GateOption[] {
  const edges = edgesFrom(graph, node.id).filter(
    edge =>
      (textOf(edge.attributes, 'condition') ?? '').trim() === '' && textOf(edge.attributes, 'freeform') !== 'true',
  )
  const taken = new Set<string>()
  const wanted = edges.map(edge => acceleratorOf(edge))
  for (const key of wanted) if (key !== null) taken.add(key)
  return edges.map((edge, index) => {
    const label = textOf(edge.attributes, 'label') || edge.to
    const own = wanted[index]
    if (own !== null && own !== undefined && wanted.indexOf(own) === index) return { key: own, label, edge: edge.id }
    const letter = [...label.toUpperCase()].find(character => /[A-Z]/.test(character) && !taken.has(character))
    const key = letter ?? String(index + 1)
    taken.add(key)
    return { key, label, edge: edge.id }
  })
}

function acceleratorOf(edge: GraphEdge): string | null {
  const match = /^\s*(?:\[(.)\]\s|(\S)\)\s|(\S) - )/.exec(textOf(edge.attributes, 'label') ?? '')
  return (match?.[1] ?? match?.[2] ?? match?.[3])?.toUpperCase() ?? null
}

/** The edge that `human.default_choice` names: by label, key or target. */
export function defaultEdge(graph: Graph, node: GraphNode): GraphEdge | null {
  const choice = textOf(node.attributes, 'human.default_choice')
  if (choice === null) return null
  const options = gateOptions(graph, node)
  const wanted = normaliseLabel(choice)
  const option = options.find(
    ({ key, label }) => key.toLowerCase() === choice.toLowerCase() || normaliseLabel(label) === wanted,
  )
  const edges = edgesFrom(graph, node.id)
  return edges.find(edge => edge.id === option?.edge) ?? edges.find(edge => edge.to === choice) ?? null
}

/** The edge that takes typed text. */
export function freeformEdge(graph: Graph, node: GraphNode): string | undefined {
  return edgesFrom(graph, node.id).find(edge => textOf(edge.attributes, 'freeform') === 'true')?.id
}

/** A gate as a request in the ledger, bound to this node, this visit and these options. */
export function gateRequest(
  work: GraphWork,
  cursor: Cursor,
  node: GraphNode,
): { request: ApprovalRequest; timeoutMs: number | null } {
  const read = new AttributeReader(node.attributes, NODE_ATTRIBUTES)
  const gate = stepName(cursor)
  const question = textOf(node.attributes, 'prompt', 'llm_prompt') ?? textOf(node.attributes, 'label') ?? node.id
  const isFree =
    edgesFrom(work.graph, node.id).some(edge => textOf(edge.attributes, 'freeform') === 'true') ||
    read.text('human.type') === 'freeform'
  const options = gateOptions(work.graph, node).map(({ key, label }) => ({
    key,
    label,
    meaning: 'choice' as const,
    from: 'signalbox' as const,
    danger: null,
  }))
  const kind = (read.text('human.kind') ?? 'gate') as 'gate' | 'plan' | 'review'
  const { cwd, run } = work
  const questions = [{ text: question, multi: read.text('human.type') === 'multi' }]
  const shown = visibleValue(question)
  const blocks = shown.pieces.map(piece => ({ ...piece, kind: 'value' }))
  const title = textOf(node.attributes, 'label') ?? node.id
  const request: ApprovalRequest = {
    kind,
    subject: { agent: 'signalbox', run, effect: `${run}/${gate}`, project: cwd, cwd, hostName: '' },
    request: { tool: node.id, input: null, text: question, questions, options, freeText: isFree ? 'optional' : 'none' },
    source: { channel: 'run', requestKey: gate, evidence: [] },
    fingerprint: fingerprintOf({
      kind,
      agent: 'signalbox',
      session: `${run}/${gate}`,
      tool: node.id,
      input: null,
      text: question,
      cwd,
      questions,
      options,
    }),
    instance: gate,
    risk: { level: 'low', reasons: [] },
    display: {
      title,
      blocks,
      visible: shown.findings.map(({ what, count }) => ({ what, count })),
      hash: sha256(JSON.stringify({ title, blocks })),
    },
  }
  return { request, timeoutMs: read.durationMs('human.timeout') }
}
