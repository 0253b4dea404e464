import { type EventData, newEvent } from '../../events/index.js'
import {
  AttributeReader,
  edgesFrom,
  evaluate,
  findJoin,
  GRAPH_ATTRIBUTES,
  type GraphEdge,
  type GraphNode,
  handlerOf,
  isExit,
  isTerminal,
  NODE_ATTRIBUTES,
  parseCondition,
  selectEdge,
  textOf,
} from '../../graph/index.js'
import type { NewEvent } from '../../store/index.js'
import type { Command } from '../workflow.js'
import { gateRequest } from './gate-request.js'
import { unmetGoals } from './goals.js'
import type { NodeOutcome } from './graph-run.js'
import { type Cursor, type GraphWork, isEngineKey, MAIN, stepName } from './graph-work.js'
import { isRetryable, retryDelayMs, retryPolicyOf } from './retry-policy.js'

/** What should be going on in a run of a graph now. */
export function decideGraph(work: GraphWork): readonly Command[] {
  const main = work.cursors.get(MAIN)!
  return decideCursor(work, main)
}

function decideCursor(work: GraphWork, cursor: Cursor): readonly Command[] {
  switch (cursor.phase) {
    case 'arrived':
      return arrive(work, cursor)
    case 'running':
      return perform(work, cursor)
    case 'recovering':
      return [{ do: 'recover', ...stepOf(work, cursor) }]
    case 'ended':
      return conclude(work, cursor)
    case 'finished':
      return route(work, cursor)
    case 'retrying': {
      const policy = retryPolicyOf(work.graph, nodeOf(work, cursor))
      const ms = retryDelayMs(policy, Math.max(1, cursor.counted - 1))
      return [{ do: 'timer', timer: `retry ${stepName(cursor)}`, ms, jitter: [0.5, 1.5] }]
    }
    case 'forked':
      return followBranches(work, cursor)
    case 'done':
      return []
  }
}

// — coming to a node —

function arrive(work: GraphWork, cursor: Cursor): readonly Command[] {
  const { graph } = work
  const node = nodeOf(work, cursor)
  const isBranch = cursor.id !== MAIN
  if (isBranch && (cursor.node === cursor.join || isExit(node))) return [emit(branchFinished(cursor))]
  if (!isBranch && isTerminal(graph, node)) {
    const { names, target } = unmetGoals(work, cursor)
    if (names.length > 0) {
      const from = cursor.previous ?? cursor.node
      if (target === null) return [fail('goal_unmet', `goal unmet: ${names.join(', ')}; no retry target`)]
      return [emit(newEvent('edge.selected', { from, to: target, edge: null, reason: 'goal', unmet: names }))]
    }
  }
  const limits = new AttributeReader(graph.attributes, GRAPH_ATTRIBUTES)
  const visit = (work.visits.get(node.id) ?? 0) + 1
  const own = new AttributeReader(node.attributes, NODE_ATTRIBUTES).number('max_visits')
  const maxVisits = own ?? limits.number('max_node_visits') ?? 0
  if (maxVisits > 0 && visit > maxVisits)
    return [fail('max_visits', `"${node.id}" was visited ${maxVisits} times, and that is its limit`)]
  const maxSteps = limits.number('max_steps') ?? 1000
  if (work.steps >= maxSteps)
    return [fail('max_steps', `the run went through ${maxSteps} nodes, and that is its limit`)]
  const handler = isExit(node) ? 'exit' : handlerFor(work, node)
  return [emit(newEvent('node.started', { node: node.id, visit, handler, ...branchOf(cursor) }))]
}

/** The start runs nothing, whatever its shape says. */
function handlerFor(work: GraphWork, node: GraphNode): string {
  const isStart = work.finished.length === 0 && work.steps === 0 && node.id.toLowerCase() === 'start'
  return isStart ? 'start' : handlerOf(node)
}

// — being there —

function perform(work: GraphWork, cursor: Cursor): readonly Command[] {
  const node = nodeOf(work, cursor)
  switch (cursor.handler) {
    case 'start':
    case 'exit':
      return [emit(finished(cursor, { status: 'success' }))]
    case 'conditional':
      return [emit(finished(cursor, cursor.last ?? { status: 'success' }))]
    case 'wait.human': {
      const { request, timeoutMs } = gateRequest(work, cursor, node)
      return [{ do: 'gate', gate: stepName(cursor), request, ...(timeoutMs !== null && { timeoutMs }) }]
    }
    case 'wait': {
      const ms = new AttributeReader(node.attributes, NODE_ATTRIBUTES).durationMs('duration') ?? 0
      return [{ do: 'timer', timer: `wait ${stepName(cursor)}`, ms }]
    }
    case 'parallel':
      return fork(work, cursor, node)
    default:
      return [{ do: 'step', ...stepOf(work, cursor) }]
  }
}

function stepOf(work: GraphWork, cursor: Cursor) {
  const effect = work.input.dryRun ? 'graph.simulated' : `graph.${cursor.handler}`
  const input = { node: cursor.node, visit: cursor.visit, attempt: cursor.attempt, branch: cursor.id }
  const branch = cursor.id === MAIN ? {} : { branch: cursor.id }
  return { step: stepName(cursor), effect, input, ...branch }
}

// — branches —

function fork(work: GraphWork, cursor: Cursor, node: GraphNode): readonly Command[] {
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
  const scope = {
    outcome: cursor.last?.outcome ?? cursor.last?.status ?? '',
    preferredLabel: String(cursor.context.preferred_label ?? ''),
    context: cursor.context,
  }
  return edgesFrom(work.graph, node.id).filter(edge => {
    const parsed = parseCondition(textOf(edge.attributes, 'condition') ?? '')
    return !('problem' in parsed) && evaluate(parsed.condition, scope).isTrue
  })
}

function startBranches(
  work: GraphWork,
  cursor: Cursor,
  node: GraphNode,
  edges: readonly GraphEdge[],
  running: readonly Cursor[],
): NewEvent[] {
  const room = (new AttributeReader(node.attributes, NODE_ATTRIBUTES).number('max_parallel') ?? 4) - running.length
  const join = findJoin(work.graph, node.id).node
  const begun = cursor.branches.length
  return edges.slice(begun, begun + Math.max(0, room)).map((edge, index) =>
    newEvent('branch.started', {
      branch: `${cursor.id === MAIN ? '' : `${cursor.id}/`}${node.id}@${cursor.visit}.${begun + index + 1}`,
      ...(cursor.id !== MAIN && { parent: cursor.id }),
      parallel: node.id,
      visit: cursor.visit,
      edge: edge.id,
      node: edge.to,
      join,
    }),
  )
}

function followBranches(work: GraphWork, cursor: Cursor): readonly Command[] {
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
      newEvent('branch.cancelled', { branch: branch.id, reason: `${node.id} has what it needs` }),
    )
    if (cancelled.length > 0) return [emit(...cancelled)]
    return [emit(finished(cursor, parallelOutcome(verdict)))]
  }
  const more = startBranches(work, cursor, node, edges, running)
  if (more.length > 0) return [emit(...more)]
  return running.flatMap(branch => decideCursor(work, branch))
}

/** Whether the branches have done enough, and what that makes of the parallel node; null while it is open. */
export function joined(
  total: number,
  done: readonly Cursor[],
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

function branchFinished(cursor: Cursor): NewEvent {
  const { last } = cursor
  return newEvent('branch.finished', {
    branch: cursor.id,
    status: last?.status ?? 'success',
    ...(last?.notes !== undefined && { notes: last.notes }),
    ...(last?.commit !== undefined && { commit: last.commit }),
  })
}

// — leaving it —

function conclude(work: GraphWork, cursor: Cursor): readonly Command[] {
  const node = nodeOf(work, cursor)
  const outcome = cursor.outcome!
  const policy = retryPolicyOf(work.graph, node)
  const reason = outcome.failure_reason ?? outcome.notes ?? outcome.status
  if (isRetryable(outcome) && cursor.counted < policy.attempts) {
    const { visit } = cursor
    return [
      emit(
        newEvent('node.retrying', {
          node: node.id,
          visit,
          attempt: cursor.attempt + 1,
          reason,
          isCounted: true,
          ...branchOf(cursor),
        }),
      ),
    ]
  }
  const final = isRetryable(outcome) ? exhausted(node, outcome, policy.attempts) : outcome
  const keys = Object.keys(outcome.context_updates ?? {})
  const kept = keys.filter(key => !isEngineKey(key))
  const dropped = keys.filter(isEngineKey)
  const events: NewEvent[] = []
  if (keys.length > 0)
    events.push(
      newEvent('context.changed', {
        node: node.id,
        keys: kept,
        ...(dropped.length > 0 && { dropped }),
        ...branchOf(cursor),
      }),
    )
  if (outcome.session?.thread) {
    const { thread, agent, id } = outcome.session
    events.push(newEvent('thread.bound', { thread, agent, session: id }))
  }
  events.push(finished(cursor, final))
  return [emit(...events)]
}

function exhausted(node: GraphNode, outcome: NodeOutcome, attempts: number): NodeOutcome {
  if (new AttributeReader(node.attributes, NODE_ATTRIBUTES).isTrue('allow_partial'))
    return { ...outcome, status: 'partial_success', notes: 'retries exhausted, partial accepted' }
  const reason = outcome.failure_reason ?? outcome.notes ?? 'it asked for another try'
  return { ...outcome, status: 'fail', failure_reason: attempts > 1 ? `max retries exceeded: ${reason}` : reason }
}

function route(work: GraphWork, cursor: Cursor): readonly Command[] {
  const { graph } = work
  const node = nodeOf(work, cursor)
  const outcome = cursor.outcome!
  const limit = new AttributeReader(graph.attributes, GRAPH_ATTRIBUTES).number('failure_repeat_limit') ?? 3
  const worst = [...work.signatures].find(([, count]) => count >= limit)
  if (worst && outcome.status === 'fail')
    return [fail('failure_repeated', `the same failure ${worst[1]} times: ${outcome.failure_reason ?? ''}`)]
  if (isExit(node)) return leave(cursor, null)
  const join = cursor.handler === 'parallel' && outcome.status !== 'fail' ? findJoin(graph, node.id).node : undefined
  if (join !== undefined)
    return join === null ? leave(cursor, null) : go(cursor, { to: join, edge: null, reason: 'join' })
  const found = selectEdge(graph, node, routed(outcome), cursor.context)
  if ('go' in found) return go(cursor, { to: found.go, edge: found.edge, reason: found.reason })
  if ('finish' in found) return leave(cursor, outcome.status === 'fail' ? (outcome.failure_reason ?? 'failed') : null)
  return leave(cursor, found.why, found.fail)
}

function go(
  cursor: Cursor,
  { to, edge, reason }: Pick<EventData<'edge.selected'>, 'to' | 'edge' | 'reason'>,
): readonly Command[] {
  const from = cursor.node
  return [
    emit(
      newEvent('edge.selected', { from, to, edge, reason, ...branchOf(cursor) }),
      newEvent('checkpoint.saved', { node: from, next: to, ...branchOf(cursor) }),
    ),
  ]
}

/** Nothing leads on: the run, or the branch, is over. */
function leave(cursor: Cursor, failure: string | null, code = 'failed'): readonly Command[] {
  if (cursor.id !== MAIN) {
    const last: NodeOutcome =
      failure === null ? (cursor.last ?? { status: 'success' }) : { status: 'fail', notes: failure }
    return [
      emit(
        newEvent('branch.finished', {
          branch: cursor.id,
          status: last.status,
          ...(last.notes !== undefined && { notes: last.notes }),
        }),
      ),
    ]
  }
  if (failure !== null) return [fail(code, failure)]
  return [{ do: 'end', status: 'completed', reason: 'done' }]
}

// — small things —

function routed(outcome: NodeOutcome) {
  const { status } = outcome
  return {
    status,
    ...(outcome.outcome !== undefined && { outcome: outcome.outcome }),
    ...(outcome.preferred_label !== undefined && { preferredLabel: outcome.preferred_label }),
    ...(outcome.suggested_next_ids && { suggestedNextIds: outcome.suggested_next_ids }),
    ...(outcome.next_node !== undefined && { nextNode: outcome.next_node }),
    ...(outcome.edge !== undefined && { edge: outcome.edge }),
    ...(outcome.failure_reason !== undefined && { failureReason: outcome.failure_reason }),
  }
}

function finished(cursor: Cursor, outcome: NodeOutcome): NewEvent {
  return newEvent('node.finished', {
    node: cursor.node,
    visit: cursor.visit,
    status: outcome.status,
    ...(outcome.outcome !== undefined && { outcome: outcome.outcome }),
    ...(outcome.preferred_label !== undefined && { preferredLabel: outcome.preferred_label }),
    ...(outcome.notes !== undefined && { notes: outcome.notes }),
    ...(outcome.failure_reason !== undefined && { failureReason: outcome.failure_reason }),
    ...(outcome.failure_class !== undefined && { failureClass: outcome.failure_class }),
    ...(outcome.commit !== undefined && { commit: outcome.commit }),
    ...branchOf(cursor),
  })
}

function branchOf(cursor: Cursor): { branch?: string } {
  return cursor.id === MAIN ? {} : { branch: cursor.id }
}

function nodeOf(work: GraphWork, cursor: Cursor): GraphNode {
  return work.graph.nodes.get(cursor.node)!
}

function emit(...events: NewEvent[]): Command {
  return { do: 'emit', events }
}

function fail(reason: string, text: string): Command {
  return { do: 'end', status: 'failed', reason, text }
}
