import { isEvent } from '../../events/index.js'
import { GRAPH_ATTRIBUTES, type Graph, startNodes, textOf } from '../../graph/index.js'
import type { Workflow } from '../workflow.js'
import { decideGraph } from './graph-decide.js'
import { evolveGraph } from './graph-evolve.js'
import { type GraphInput, graphInput, graphOf, partsOf, plainInput } from './graph-run.js'
import { type Cursor, type GraphWork, MAIN, newCursor } from './graph-work.js'

/** A DOT graph as a workflow. */
export const graphWorkflow: Workflow<GraphWork> = {
  kind: 'graph',
  version: 5,
  begin(created, { id }) {
    const about = {
      title: created.title,
      project: created.project,
      person: created.person,
      ...(created.limits && { limits: created.limits }),
      ...(created.labels && { labels: created.labels }),
      ...(created.parent && { parent: created.parent }),
    }
    const parts = partsOf(created.input)
    if (parts === 0) return beginWork(graphInput.parse(created.input), { id, cwd: created.cwd, about })
    return { ...beginWork(EMPTY_INPUT, { id, cwd: created.cwd, about }), awaited: { parts, text: '' } }
  },
  evolve(work, event) {
    if (!work.awaited) return evolveGraph(work, event)
    if (!isEvent(event, 'graph.input')) return work
    const { parts, text } = work.awaited
    const whole = text + event.data.text
    if (event.data.part < parts) return { ...work, awaited: { parts, text: whole } }
    return beginWork(graphInput.parse(JSON.parse(whole)), { id: work.run, cwd: work.cwd, about: work.about })
  },
  decide: decideGraph,
  save: ({ graph: _, ...work }) => ({
    ...work,
    cursors: [...work.cursors],
    outcomes: [...work.outcomes],
    visits: [...work.visits],
    signatures: [...work.signatures],
    threads: [...work.threads],
    restarts: [...work.restarts],
  }),
  load(saved) {
    const work = saved as Omit<
      GraphWork,
      'graph' | 'cursors' | 'outcomes' | 'visits' | 'signatures' | 'threads' | 'restarts'
    > & {
      cursors: [string, Cursor][]
      outcomes: [string, never][]
      visits: [string, number][]
      signatures: [string, number][]
      threads: [string, { agent: string; session: string }][]
      restarts: [string, number][]
    }
    return {
      ...work,
      graph: work.awaited ? emptyGraph() : graphOf(work.input),
      cursors: new Map(work.cursors),
      outcomes: new Map(work.outcomes),
      visits: new Map(work.visits),
      signatures: new Map(work.signatures),
      threads: new Map(work.threads),
      restarts: new Map(work.restarts),
    }
  },
}

function beginWork(
  input: GraphInput,
  { id, cwd, about }: { id: string; cwd: string; about: GraphWork['about'] },
): GraphWork {
  const graph = input === EMPTY_INPUT ? emptyGraph() : graphOf(input)
  const start = input.from?.node ?? startNodes(graph)[0]?.id ?? [...graph.nodes.keys()][0] ?? ''
  const context: Record<string, unknown> = { ...(input.from?.context ?? {}), ...input.inputs, 'internal.run_id': id }
  for (const [key, { value }] of graph.attributes)
    if (Object.hasOwn(GRAPH_ATTRIBUTES, key)) context[`graph.${key}`] = value
  context['graph.goal'] = textOf(graph.attributes, 'goal') ?? ''
  return {
    input,
    cwd,
    about,
    graph,
    run: id,
    cursors: new Map([[MAIN, { ...newCursor(MAIN, start, context), ...previousNode(input) }]]),
    outcomes: new Map(Object.entries(input.from?.outcomes ?? {})),
    visits: new Map(Object.entries(input.from?.visits ?? {})),
    finished: [...(input.from?.finished ?? [])],
    steps: 0,
    signatures: new Map(Object.entries(input.from?.signatures ?? {})),
    threads: new Map(Object.entries(input.from?.threads ?? {})),
    steering: [],
    restarts: new Map(Object.entries(input.from?.restarts ?? {})),
    lastFailure: null,
    awaited: null,
  }
}

/** A placeholder for an input that arrives in parts. */
const EMPTY_INPUT = plainInput('', '')

function emptyGraph(): Graph {
  return { name: null, attributes: new Map(), nodes: new Map(), edges: [], file: null }
}

/**
 * The outcome of the previous node, for a run that starts in the middle; a diamond passes it on.
 */
function previousNode({ from }: GraphInput): Partial<Cursor> {
  const node = from?.context.last_stage
  const status = typeof node === 'string' ? from?.outcomes?.[node] : undefined
  if (typeof node !== 'string' || status === undefined) return {}
  const { outcome, preferred_label: label, _last_error: error } = from!.context
  return {
    previous: node,
    last: {
      status,
      ...(typeof outcome === 'string' && outcome !== status && { outcome }),
      ...(typeof label === 'string' && { preferred_label: label }),
      ...(status === 'fail' && typeof error === 'string' && { failure_reason: error }),
    },
  }
}
