import type { Graph } from '../../graph/index.js'
import type { GraphInput, NodeOutcome } from './graph-run.js'

/** A place in the graph where the run is: one on the main way, one in each branch. */
export interface Cursor {
  /** Empty for the main way, else the name of the branch. */
  id: string
  parent: string | null
  node: string
  /** The edge it came by, and the node before: for fidelity and threads. */
  edge: string | null
  previous: string | null
  /** `ended`: its handler has spoken; `finished`: that counts, and the way on is to be found. */
  phase: 'arrived' | 'running' | 'recovering' | 'ended' | 'finished' | 'retrying' | 'forked' | 'done'
  handler: string
  visit: number
  /** Names the step; grows with every try. */
  attempt: number
  /** Tries that count against the limit: those that we ended ourselves do not. */
  counted: number
  /** What the node's handler said, before it counts. */
  outcome: NodeOutcome | null
  /** The outcome of the node before: what a diamond passes on. */
  last: NodeOutcome | null
  context: Record<string, unknown>
  /** Branches end here. */
  join: string | null
  /** For a parallel node: its branches, in order of their edges. */
  branches: string[]
  /** For a branch: what it ended with. */
  result: { status: NodeOutcome['status']; notes?: string; commit?: string } | null
  isCancelled: boolean
  /** For a branch: the edge of the parallel node. */
  branchEdge: string | null
  /** The step died: what the attempt before left, for the next one. */
  salvage: { text: string; session: string | null } | null
  /** How many times a manager has looked, and when it last spoke to its child. */
  cycles: number
}

export interface FinishedNode {
  node: string
  visit: number
  status: NodeOutcome['status']
  notes: string | null
}

/** A run of a graph, folded from its journal. Changed in place: a run may have thousands of nodes behind it. */
export interface GraphWork {
  input: GraphInput
  cwd: string
  graph: Graph
  run: string
  cursors: Map<string, Cursor>
  /** Last outcome of each node. */
  outcomes: Map<string, NodeOutcome['status']>
  visits: Map<string, number>
  finished: FinishedNode[]
  steps: number
  signatures: Map<string, number>
  /** Limits that the engine found broken: ends the run. */
  failure: { reason: string; text: string } | null
  threads: Map<string, { agent: string; session: string }>
  /** The run goes on in another one. */
  restart: { node: string; edge: string } | null
}

export const MAIN = ''

export function newCursor(id: string, node: string, context: Record<string, unknown>): Cursor {
  return {
    id,
    parent: null,
    node,
    edge: null,
    previous: null,
    phase: 'arrived',
    handler: '',
    visit: 0,
    attempt: 0,
    counted: 0,
    outcome: null,
    last: null,
    context,
    join: null,
    branches: [],
    result: null,
    isCancelled: false,
    branchEdge: null,
    salvage: null,
    cycles: 0,
  }
}

/** `node@visit#attempt`, with the branch before it: the same node may run in two branches at once. */
export function stepName(cursor: Cursor): string {
  const own = `${cursor.node}@${cursor.visit}#${cursor.attempt}`
  return cursor.id === MAIN ? own : `${cursor.id}/${own}`
}

/** Keys that only the engine writes. */
export function isEngineKey(key: string): boolean {
  return key.startsWith('_') || key.startsWith('internal.') || key.startsWith('graph.')
}

/** Handlers that the engine carries out by itself: everything else is a step. */
const OWN_HANDLERS: ReadonlySet<string> = new Set(['start', 'exit', 'conditional', 'wait.human', 'wait', 'parallel'])

export function isStepHandler(handler: string): boolean {
  return !OWN_HANDLERS.has(handler)
}
