import type { ApprovalRequest } from '../../approvals/index.js'
import type { EventData } from '../../events/index.js'
import { type Graph, type GraphNode, handlerOf, textOf } from '../../graph/index.js'
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
  phase: 'arrived' | 'running' | 'recovering' | 'asking' | 'ended' | 'finished' | 'retrying' | 'forked' | 'done'
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
  /** The step died by itself: what is to be made of that is known once its remains have been examined. */
  death: NodeOutcome | null
  /** Something only a person can settle, asked before the node may go on; then what they said. */
  question: Question | null
  answer: string | null
  /** The same with everything beside the option: text, choices, edits. */
  reply?: Reply
  /** The newest commit of this way through the graph. */
  commit: string | null
  /** For a parallel node whose branches worked apart: what became of bringing them together. */
  merged: NodeOutcome | null
  /** For a node that has a run of its own do the work. */
  child: ChildPlan | null
  /** How many times a manager has looked at its child, whether it has to look now, and when it last spoke to it. */
  cycles: number
  isLooking: boolean
  /** It is ending its child: that the child is cancelled is no news. */
  isStopping: boolean
  steeredAt: number | null
  lookedAt: number
}

/** The graph of a child run, as a step read it. */
export interface ChildPlan {
  dot: string
  file: string | null
  hash: string
  /** A run that exists already, for a manager that starts none. */
  attached: string | null
}

/** What a handler asks a person before it can go on. */
export interface Question {
  text: string
  options: { key: string; label: string; meaning?: ApprovalRequest['request']['options'][number]['meaning'] }[]
  kind?: 'gate' | 'plan' | 'review'
  title?: string
  /** What is decided, as data: surfaces draw it, and the answer is bound to it. */
  input?: Record<string, unknown>
  isMulti?: boolean
  takesText?: boolean
  /** The answer may bring `input` back changed. */
  takesEdits?: boolean
}

/** What a person said to a question, whole. */
export interface Reply {
  option: string
  by: string
  approval: string
  label?: string
  text?: string
  note?: string
  choices?: string[]
  editedInput?: unknown
}

interface FinishedNode {
  node: string
  visit: number
  status: NodeOutcome['status']
  notes: string | null
}

/** A run of a graph, folded from its journal. Changed in place: a run may have thousands of nodes behind it. */
export interface GraphWork {
  input: GraphInput
  cwd: string
  /** Who asked for the run, and for what: its child runs and restarts are made of that. */
  about: Pick<EventData<'run.created'>, 'title' | 'project' | 'person' | 'limits' | 'labels' | 'parent'>
  graph: Graph
  run: string
  cursors: Map<string, Cursor>
  /** Last outcome of each node. */
  outcomes: Map<string, NodeOutcome['status']>
  visits: Map<string, number>
  finished: FinishedNode[]
  steps: number
  signatures: Map<string, number>
  threads: Map<string, { agent: string; session: string }>
  /** What a manager said to this run; the next agent is told. */
  steering: string[]
  /** How often each signature, or none, has led round a `loop_restart`. */
  restarts: Map<string, number>
  /** The failure that came last, as a signature of any class. */
  lastFailure: string | null
  /** What the run is asked to do is still being read: so much of it is there. */
  awaited: { parts: number; text: string } | null
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
    death: null,
    question: null,
    answer: null,
    commit: null,
    merged: null,
    child: null,
    cycles: 0,
    isLooking: false,
    isStopping: false,
    steeredAt: null,
    lookedAt: 0,
  }
}

/** `node@visit#attempt`, with the branch before it: the same node may run in two branches at once. */
export function stepName(cursor: Cursor): string {
  const own = `${cursor.node}@${cursor.visit}#${cursor.attempt}`
  return cursor.id === MAIN ? own : `${cursor.id}/${own}`
}

/** A part of what a node does that is a step of its own: `merge@1#1+look3`. */
export function partName(cursor: Cursor, part: string): string {
  return `${stepName(cursor)}+${part}`
}

/** Keys that only the engine writes. */
export function isEngineKey(key: string): boolean {
  return key.startsWith('_') || key.startsWith('internal.') || key.startsWith('graph.')
}

/** Handlers that are no step, or whose steps are told apart by their names. */
const OWN_HANDLERS: ReadonlySet<string> = new Set([
  'start',
  'exit',
  'conditional',
  'wait.human',
  'wait',
  'parallel',
  'pipeline',
  'stack.manager_loop',
])

/** Handlers that have a run of their own do the work. */
export function hasChild(handler: string): boolean {
  return handler === 'pipeline' || handler === 'stack.manager_loop'
}

export function isStepHandler(handler: string): boolean {
  return !OWN_HANDLERS.has(handler)
}

/** Whether the branches of this parallel node work apart from each other: in a repository, unless the author says otherwise. */
export function isIsolated(work: GraphWork, node: GraphNode): boolean {
  if (work.input.workspace.branch === null || work.input.dryRun) return false
  if (textOf(work.graph.attributes, 'commits') === 'none') return false
  return textOf(node.attributes, 'branch_isolation') !== 'none'
}

/** The branch, this one or one around it, whose own worktree the cursor works in; null for the run's. */
export function isolatedBranch(work: GraphWork, cursor: Cursor): string | null {
  for (let at: Cursor | undefined = cursor; at && at.id !== MAIN; at = work.cursors.get(at.parent ?? MAIN)) {
    const parallel = work.graph.nodes.get(parallelOf(at.id))
    if (parallel && handlerOf(parallel) === 'parallel' && isIsolated(work, parallel)) return at.id
  }
  return null
}

/** `a@1.2/p@3#2.1` → `p`: the parallel node that a branch belongs to. */
function parallelOf(branch: string): string {
  const last = branch.slice(branch.lastIndexOf('/') + 1)
  return last.slice(0, last.indexOf('@'))
}

/** Where a cursor works: the worktree of its branch, else of the run. */
export function cursorPath(work: GraphWork, cursor: Cursor): string {
  const branch = isolatedBranch(work, cursor)
  const { path } = work.input.workspace
  return branch === null ? path : branchPath(path, branch)
}

function branchPath(workspace: string, branch: string): string {
  return `${workspace}.branches/${plain(branch)}`
}

/** The git branch of a branch. Not below the run's own: git keeps no branch inside of another. */
export function branchRef(run: string, branch: string): string {
  return `signalbox/branch/${run}/${plain(branch)}`
}

function plain(branch: string): string {
  return branch.replace(/[^A-Za-z0-9_.-]/g, '-')
}
