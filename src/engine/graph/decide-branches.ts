import { newEvent } from '../../events/index.js'
import {
  AttributeReader,
  edgesFrom,
  evaluate,
  findJoin,
  type GraphEdge,
  type GraphNode,
  handlerOf,
  NODE_ATTRIBUTES,
  parseCondition,
  textOf,
} from '../../graph/index.js'
import type { NewEvent } from '../../store/index.js'
import type { WorkflowCommand } from '../workflow.js'
import { emit, finished, nodeOf, scopeOf } from './decide-events.js'
import type { NodeOutcome } from './graph-run.js'
import { type Cursor, type GraphWork, isIsolated, MAIN, partName } from './graph-work.js'

/** Starts the branches of a parallel node. */
export function fork(work: GraphWork, cursor: Cursor, node: GraphNode): readonly WorkflowCommand[] {
  const edges = openEdges(work, cursor, node)
  if (edges.length === 0) {
    const outcome: NodeOutcome = {
      status: 'fail',
      failure_reason: 'no branch may be taken',
      failure_class: 'structural',
    }
    return [emit(finished(cursor, outcome))]
  }
  return [emit(...startBranches(work, cursor, node, edges, []))]
}

/** The edges of a parallel node that are branches: those whose condition holds. */
function openEdges(work: GraphWork, cursor: Cursor, node: GraphNode): GraphEdge[] {
  const scope = scopeOf(cursor)
  return edgesFrom(work.graph, node.id)
    .filter(edge => {
      const parsed = parseCondition(textOf(edge.attributes, 'condition') ?? '')
      return !('problem' in parsed) && evaluate(parsed.condition, scope).isTrue
    })
    .slice(0, BRANCHES_MAX)
}

const BRANCHES_MAX = 64

function startBranches(
  work: GraphWork,
  cursor: Cursor,
  node: GraphNode,
  edges: readonly GraphEdge[],
  running: readonly Cursor[],
): NewEvent[] {
  const room = (new AttributeReader(node.attributes, NODE_ATTRIBUTES).number('max_parallel') ?? 4) - running.length
  const join = findJoin(work.graph, node.id).node
  const started = cursor.branches.length
  const attempt = cursor.attempt > 1 ? `#${cursor.attempt}` : ''
  const prefix = `${cursor.id === MAIN ? '' : `${cursor.id}/`}${node.id}@${cursor.visit}${attempt}`
  return edges.slice(started, started + Math.max(0, room)).map((edge, index) =>
    newEvent('branch.started', {
      branch: `${prefix}.${started + index + 1}`,
      ...(cursor.id !== MAIN && { parent: cursor.id }),
      parallel: node.id,
      visit: cursor.visit,
      edge: edge.id,
      node: edge.to,
      join,
      count: edges.length,
    }),
  )
}

/**
 * Follows the branches until enough of them are done, merges their work, and ends the parallel
 * node.
 */
export function followBranches(
  work: GraphWork,
  cursor: Cursor,
  follow: (branch: Cursor) => readonly WorkflowCommand[],
): readonly WorkflowCommand[] {
  const node = nodeOf(work, cursor)
  const read = new AttributeReader(node.attributes, NODE_ATTRIBUTES)
  const branches = cursor.branches.map(id => work.cursors.get(id)!)
  const running = branches.filter(branch => branch.phase !== 'done')
  const edges = openEdges(work, cursor, node)
  const done = branches.filter(branch => branch.phase === 'done')
  const verdict = joined(edges.length, done, {
    policy: read.text('join_policy') ?? 'wait_all',
    k: read.number('k') ?? 1,
    errors: read.text('error_policy') ?? 'continue',
  })
  if (verdict) {
    const cancelled = running.map(branch =>
      newEvent('branch.cancelled', { branch: branch.id, reason: `${node.id} has enough results` }),
    )
    if (cancelled.length > 0) return [emit(...cancelled)]
    if (verdict !== 'fail' && cursor.merged === null && mustMerge(work, cursor, node, done)) {
      const input = {
        node: node.id,
        visit: cursor.visit,
        attempt: cursor.attempt,
        branch: cursor.id,
        branches: done.filter(branch => branch.commit !== null && isGood(branch)).map(({ id }) => id),
      }
      return [{ do: 'step', step: partName(cursor, 'merge'), effect: 'graph.merge', input }]
    }
    return [emit(finished(cursor, cursor.merged?.status === 'fail' ? cursor.merged : parallelOutcome(verdict)))]
  }
  const more = startBranches(work, cursor, node, edges, running)
  if (more.length > 0) return [emit(...more)]
  return running.flatMap(follow)
}

/** Before a fan-in there is no merge: that node merges only the branch it chooses. */
function mustMerge(work: GraphWork, cursor: Cursor, node: GraphNode, done: readonly Cursor[]): boolean {
  if (!isIsolated(work, node)) return false
  const join = findJoin(work.graph, node.id).node
  const target = join === null ? undefined : work.graph.nodes.get(join)
  if (target && handlerOf(target) === 'parallel.fan_in') return false
  return cursor.branches.length > 0 && done.some(branch => branch.commit !== null && isGood(branch))
}

function isGood({ result }: Cursor): boolean {
  return result?.status === 'success' || result?.status === 'partial_success'
}

/**
 * Whether enough branches are done, and the resulting outcome of the parallel node; null while it
 * is open.
 */
function joined(
  total: number,
  done: readonly Pick<Cursor, 'result'>[],
  { policy, k, errors }: { policy: string; k: number; errors: string },
): NodeOutcome['status'] | null {
  const good = done.filter(({ result }) => ['success', 'partial_success'].includes(result?.status ?? '')).length
  const failed = done.filter(({ result }) => result?.status === 'fail').length
  if (errors === 'fail_fast' && failed > 0) return 'fail'
  const isOver = done.length === total
  const needed =
    policy === 'first_success' ? 1 : policy === 'k_of_n' ? k : policy === 'quorum' ? Math.floor(total / 2) + 1 : null
  if (needed !== null) {
    if (good >= needed) return 'success'
    return isOver || good + (total - done.length) < needed ? 'fail' : null
  }
  if (!isOver) return null
  const counted = errors === 'ignore' ? 0 : failed
  if (counted === 0) return good > 0 || failed === 0 ? 'success' : 'fail'
  return good > 0 ? 'partial_success' : 'fail'
}

function parallelOutcome(status: NodeOutcome['status']): NodeOutcome {
  if (status !== 'fail') return { status }
  return { status, failure_reason: 'not enough branches succeeded', failure_class: 'unknown' }
}

/** The event for a branch that has reached its end. */
export function branchFinished(cursor: Cursor, failure: string | null): NewEvent {
  const { last, commit } = cursor
  const notes = failure ?? last?.notes
  return newEvent('branch.finished', {
    branch: cursor.id,
    status: failure === null ? (last?.status ?? 'success') : 'fail',
    ...(notes !== undefined && { notes }),
    ...(commit !== null && { commit }),
  })
}
