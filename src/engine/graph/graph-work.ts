import type { ApprovalRequest } from '../../approvals/index.js'
import type { EventData } from '../../events/index.js'
import { type Graph, type GraphNode, handlerOf, textOf } from '../../graph/index.js'
import type { AutomaticAnswer } from '../workflow.js'
import type { GraphInput, NodeOutcome } from './graph-run.js'

/** A current position in the graph: one on the main path, one in each branch. */
export interface Cursor {
  /** Empty for the main path, else the name of the branch. */
  id: string
  parent: string | null
  node: string
  /** The edge it arrived by, and the previous node: for fidelity and threads. */
  edge: string | null
  previous: string | null
  /**
   * `ended`: the handler has returned; `finished`: its outcome counts, and the next edge is to be
   * chosen.
   */
  phase: 'arrived' | 'running' | 'recovering' | 'asking' | 'ended' | 'finished' | 'retrying' | 'forked' | 'done'
  handler: string
  visit: number
  /** Part of the step's name; grows with every attempt. */
  attempt: number
  /** Attempts that count against the limit: those we stopped ourselves do not. */
  counted: number
  /** The handler's outcome, before it counts. */
  outcome: NodeOutcome | null
  /** The outcome of the previous node: a diamond passes it on. */
  last: NodeOutcome | null
  context: Record<string, unknown>
  /** The node at which branches join. */
  join: string | null
  /** For a parallel node: its branches, in the order of their edges. */
  branches: string[]
  /** For a branch: its result. */
  result: { status: NodeOutcome['status']; notes?: string; commit?: string } | null
  isCancelled: boolean
  /** For a branch: its edge of the parallel node. */
  branchEdge: string | null
  /** The step died: what the previous attempt left, for the next one. */
  salvage: { text: string; session: string | null } | null
  /** The step died: its outcome if recovery finds nothing. */
  death: NodeOutcome | null
  /**
   * A question for a person that must be answered before the node can continue; then the answer.
   */
  question: Question | null
  answer: string | null
  /** The complete reply: text, choices and edits besides the option. */
  reply?: Reply
  /** The newest commit on this path through the graph. */
  commit: string | null
  /** For a parallel node with isolated branches: the result of merging them. */
  merged: NodeOutcome | null
  /** For a node whose work is done by a child run. */
  child: ChildPlan | null
  /**
   * How often a manager has observed its child, whether an observation is due, and when it last
   * steered it.
   */
  cycles: number
  isLooking: boolean
  /** The node is stopping its child: the child's cancellation is expected. */
  isStopping: boolean
  steeredAt: number | null
  lookedAt: number
}

/** The graph of a child run, as read by a step. */
export interface ChildPlan {
  dot: string
  file: string | null
  hash: string
  /** An existing run, for a manager that starts none. */
  attached: string | null
}

type RequestOption = ApprovalRequest['request']['options'][number]

/** A handler's question to a person, which must be answered before it can continue. */
export interface Question {
  text: string
  options: (Pick<RequestOption, 'key' | 'label' | 'takes' | 'isAlone'> & Partial<Pick<RequestOption, 'meaning'>>)[]
  kind?: 'gate' | 'plan' | 'review' | 'permission'
  /**
   * For a permission: the tool that it is about, what a grant compares, why it is risky, and why no
   * grant may cover it.
   */
  permission?: { tool: string; same: unknown; risk: string; neverAuto?: string }
  title?: string
  /** The data to decide about: surfaces show it, and the answer is bound to it. */
  input?: Record<string, unknown>
  isMulti?: boolean
  takesText?: boolean
  /** The answer may contain an edited `input`. */
  takesEdits?: boolean
  /** The answer of a run that needs no person. */
  automatic?: AutomaticAnswer
}

/** A person's complete reply to a question. */
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

/**
 * A run of a graph, folded from its journal. Changed in place, because a run may have visited
 * thousands of nodes.
 */
export interface GraphWork {
  input: GraphInput
  cwd: string
  /** Who requested the run, and why: child runs and restarts are created from it. */
  about: Pick<EventData<'run.created'>, 'title' | 'project' | 'person' | 'limits' | 'labels' | 'parent'>
  graph: Graph
  run: string
  cursors: Map<string, Cursor>
  /** The latest outcome of each node. */
  outcomes: Map<string, NodeOutcome['status']>
  visits: Map<string, number>
  finished: FinishedNode[]
  steps: number
  signatures: Map<string, number>
  threads: Map<string, { agent: string; session: string }>
  /** Messages from a manager to this run; the next agent prompt includes them. */
  steering: string[]
  /** How often each failure signature (or none) has caused a `loop_restart`. */
  restarts: Map<string, number>
  /** The latest failure of any class, as a signature. */
  lastFailure: string | null
  /** The input is still arriving in parts: the text so far. */
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

/**
 * `node@visit#attempt`, prefixed with the branch: the same node may run in two branches at once.
 */
export function stepName(cursor: Cursor): string {
  const own = `${cursor.node}@${cursor.visit}#${cursor.attempt}`
  return cursor.id === MAIN ? own : `${cursor.id}/${own}`
}

/** The name of a step that does one part of a node's work: `merge@1#1+look3`. */
export function partName(cursor: Cursor, part: string): string {
  return `${stepName(cursor)}+${part}`
}

/** Keys that only the engine writes. */
export function isEngineKey(key: string): boolean {
  return key.startsWith('_') || key.startsWith('internal.') || key.startsWith('graph.')
}

/** Handlers that run no step, or whose steps are named after their parts. */
const WITHOUT_NODE_STEP: ReadonlySet<string> = new Set([
  'start',
  'exit',
  'conditional',
  'wait.human',
  'wait',
  'parallel',
  'pipeline',
  'stack.manager_loop',
])

/** Handlers whose work is done by a child run. */
export function hasChild(handler: string): boolean {
  return handler === 'pipeline' || handler === 'stack.manager_loop'
}

export function isStepHandler(handler: string): boolean {
  return !WITHOUT_NODE_STEP.has(handler)
}

/**
 * Whether the branches of this parallel node work in worktrees of their own: in a repository,
 * unless the author says otherwise.
 */
export function isIsolated(work: GraphWork, node: GraphNode): boolean {
  if (work.input.workspace.branch === null || work.input.dryRun) return false
  if (textOf(work.graph.attributes, 'commits') === 'none') return false
  return textOf(node.attributes, 'branch_isolation') !== 'none'
}

/**
 * The branch, this one or an enclosing one, in whose worktree the cursor works; null for the run's
 * worktree.
 */
export function isolatedBranch(work: GraphWork, cursor: Cursor): string | null {
  for (let at: Cursor | undefined = cursor; at && at.id !== MAIN; at = work.cursors.get(at.parent ?? MAIN)) {
    const parallel = work.graph.nodes.get(parallelOf(at.id))
    if (parallel && handlerOf(parallel) === 'parallel' && isIsolated(work, parallel)) return at.id
  }
  return null
}

/** `a@1.2/p@3#2.1` → `p`: the parallel node of a branch. */
function parallelOf(branch: string): string {
  const last = branch.slice(branch.lastIndexOf('/') + 1)
  return last.slice(0, last.indexOf('@'))
}

/** The directory that a cursor works in: the worktree of its branch, else of the run. */
export function cursorPath(work: GraphWork, cursor: Cursor): string {
  const branch = isolatedBranch(work, cursor)
  const { path } = work.input.workspace
  return branch === null ? path : branchPath(path, branch)
}

function branchPath(workspace: string, branch: string): string {
  return `${workspace}.branches/${plain(branch)}`
}

/**
 * The git branch of a branch. It is not a child of the run's git branch: git does not allow a
 * branch name below another.
 */
export function branchRef(run: string, branch: string): string {
  return `signalbox/branch/${run}/${plain(branch)}`
}

function plain(branch: string): string {
  return branch.replace(/[^A-Za-z0-9_.-]/g, '-')
}
