import { type EventData, newEvent } from '../../events/index.js'
import {
  AttributeReader,
  BOOKKEEPING_KEYS,
  edgesFrom,
  findJoin,
  GRAPH_ATTRIBUTES,
  type GraphEdge,
  isExit,
  selectEdge,
  textOf,
} from '../../graph/index.js'
import type { WorkflowCommand } from '../workflow.js'
import { branchFinished } from './decide-branches.js'
import { branchOf, emit, fail, nodeOf } from './decide-events.js'
import { failureSignature } from './failure-signature.js'
import { unmetGoals } from './goals.js'
import { graphCreation, type NodeOutcome } from './graph-run.js'
import { type Cursor, type GraphWork, isEngineKey, MAIN } from './graph-work.js'

/** Decides where a run goes after a finished node. */
export function decideRoute(work: GraphWork, cursor: Cursor): readonly WorkflowCommand[] {
  const { graph } = work
  const node = nodeOf(work, cursor)
  const outcome = cursor.outcome!
  if (outcome.end) return [{ do: 'end', ...outcome.end }]
  const repeated = repeatedFailure(work, cursor, outcome)
  if (repeated) return [repeated]
  if (isExit(node)) return endPath(work, cursor, null)
  if (cursor.handler === 'parallel' && outcome.status !== 'fail') {
    const join = findJoin(graph, node.id).node
    return join === null ? endPath(work, cursor, null) : followEdge(cursor, { to: join, edge: null, reason: 'join' })
  }
  const options = { isParallel: cursor.handler === 'parallel' }
  const found = selectEdge(graph, node, routed(outcome), cursor.context, options)
  if ('go' in found) return followEdge(cursor, { to: found.go, edge: found.edge, reason: found.reason })
  if ('fail' in found) return endPath(work, cursor, found.why, found.fail)
  if (outcome.status === 'fail') return endPath(work, cursor, outcome.failure_reason ?? 'failed')
  return (cursor.id === MAIN ? sendBack(work, cursor, null) : null) ?? endPath(work, cursor, null)
}

/**
 * Ends the run when the same failure, of a kind that another attempt cannot fix, repeats too often.
 */
function repeatedFailure(work: GraphWork, cursor: Cursor, outcome: NodeOutcome): WorkflowCommand | null {
  if (outcome.status !== 'fail' || cursor.handler === 'conditional') return null
  const signature = failureSignature(cursor.node, outcome)
  const count = signature === null ? 0 : (work.signatures.get(signature) ?? 0)
  const limit = new AttributeReader(work.graph.attributes, GRAPH_ATTRIBUTES).number('failure_repeat_limit') ?? 3
  if (count < limit) return null
  return fail('failure_repeated', `the same failure ${count} times: ${outcome.failure_reason ?? ''}`)
}

/**
 * Sends the run back for unmet goals instead of letting it end; null when it may end. `except` is a
 * node that has not run yet and is not checked.
 */
export function sendBack(work: GraphWork, cursor: Cursor, except: string | null): readonly WorkflowCommand[] | null {
  const { names, target } = unmetGoals(work, cursor, except)
  if (names.length === 0) return null
  if (target === null) return [fail('goal_unmet', `unmet goals: ${names.join(', ')}; no retry target`)]
  const from = cursor.phase === 'arrived' ? (cursor.previous ?? cursor.node) : cursor.node
  return [
    emit(
      newEvent('edge.selected', { from, to: target, edge: null, reason: 'goal', unmet: names }),
      newEvent('checkpoint.saved', { node: from, next: target }),
    ),
  ]
}

function followEdge(
  cursor: Cursor,
  { to, edge, reason }: Pick<EventData<'edge.selected'>, 'to' | 'edge' | 'reason'>,
): readonly WorkflowCommand[] {
  const from = cursor.node
  return [
    emit(
      newEvent('edge.selected', { from, to, edge, reason, ...branchOf(cursor) }),
      newEvent('checkpoint.saved', { node: from, next: to, ...branchOf(cursor) }),
    ),
  ]
}

/** There is no next node: the run, or the branch, ends. */
function endPath(work: GraphWork, cursor: Cursor, failure: string | null, code = 'failed'): readonly WorkflowCommand[] {
  if (cursor.id !== MAIN) return [emit(branchFinished(cursor, failure))]
  if (failure !== null) return [fail(code, failure)]
  const verdict = pipelineOutcomeOf(cursor)
  const reason = verdict.outcome ?? 'done'
  return [{ do: 'end', status: 'completed', reason, outputs: outputsOf(work, cursor), ...verdict }]
}

/**
 * A graph can qualify its end: `run.outcome` and `run.objections` of its context become part of the
 * end of the run.
 */
function pipelineOutcomeOf({ context }: Cursor): { outcome?: string; objections?: string[] } {
  const { 'run.outcome': outcome, 'run.objections': objections } = context
  return {
    ...(typeof outcome === 'string' && { outcome }),
    ...(Array.isArray(objections) && objections.length > 0 && { objections: objections.map(String) }),
  }
}

/**
 * The outputs that a run returns to its parent: what its nodes added to the context, not what it
 * was given.
 */
function outputsOf(work: GraphWork, { context }: Cursor): Record<string, unknown> {
  const own = (key: string) =>
    !isEngineKey(key) &&
    !BOOKKEEPING_KEYS.has(key) &&
    !PARENT_PREFIXES.some(prefix => key.startsWith(prefix)) &&
    work.input.inputs[key] !== context[key]
  return Object.fromEntries(Object.entries(context).filter(([key]) => own(key)))
}

const PARENT_PREFIXES = ['response.', 'tool.', 'human.', 'parallel.', 'stack.']

// — restarting as another run —

/** The edge that the run arrived by, if it is a `loop_restart` edge. */
export function restartEdge({ graph }: GraphWork, cursor: Cursor): GraphEdge | null {
  if (cursor.edge === null || cursor.previous === null) return null
  const edge = edgesFrom(graph, cursor.previous).find(({ id }) => id === cursor.edge)
  return edge && textOf(edge.attributes, 'loop_restart') === 'true' ? edge : null
}

/**
 * Ends this run and starts a new one at the edge's target: the context is kept, visits and outcomes
 * are not. A run that restarts too often for the same failure fails; one that loops without failing
 * is bounded by the visit limit.
 */
export function restart(work: GraphWork, cursor: Cursor, edge: GraphEdge): readonly WorkflowCommand[] {
  const limits = new AttributeReader(work.graph.attributes, GRAPH_ATTRIBUTES)
  const key = `${edge.id} ${work.lastFailure ?? ''}`
  const count = (work.restarts.get(key) ?? 0) + 1
  const limit =
    work.lastFailure === null ? (limits.number('max_node_visits') ?? 0) : (limits.number('failure_repeat_limit') ?? 3)
  if (limit > 0 && count > limit)
    return [fail('restart_limit', `the run restarted ${limit} times for the same reason, which is the limit`)]
  const { limits: budget, labels, parent, ...about } = work.about
  const context = Object.fromEntries(
    Object.entries(cursor.context).filter(([name]) => !isEngineKey(name) && !BOOKKEEPING_KEYS.has(name)),
  )
  const [created, ...more] = graphCreation({
    kind: 'graph',
    ...about,
    cwd: work.cwd,
    input: {
      ...work.input,
      from: {
        node: cursor.node,
        context,
        signatures: Object.fromEntries(work.signatures),
        restarts: { ...Object.fromEntries(work.restarts), [key]: count },
      },
    },
    from: { run: work.run, as: 'restart' },
    ...(budget && { limits: budget }),
    ...(labels && { labels }),
    ...(parent && { parent }),
  })
  const successor = created!.data as EventData<'run.created'>
  return [{ do: 'end', status: 'completed', reason: 'restarted', successor, successorEvents: more }]
}

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
