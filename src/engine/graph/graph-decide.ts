import { newEvent } from '../../events/index.js'
import {
  AttributeReader,
  GRAPH_ATTRIBUTES,
  type GraphNode,
  gateOptions,
  handlerOf,
  isExit,
  isTerminal,
  NODE_ATTRIBUTES,
  startNodes,
  takesText,
  textOf,
} from '../../graph/index.js'
import type { NewEvent } from '../../store/index.js'
import type { WorkflowCommand } from '../workflow.js'
import { branchFinished, followBranches, fork } from './decide-branches.js'
import { followChild } from './decide-children.js'
import { branchOf, emit, fail, finished, nodeOf } from './decide-events.js'
import { decideRoute, restart, restartEdge, sendBack } from './decide-route.js'
import { defaultEdge, firstAnswer, gateRequest, questionRequest, simulatedAnswer } from './gate-request.js'
import { handlersOf, type NodeOutcome } from './graph-run.js'
import { type Cursor, type GraphWork, hasChild, isEngineKey, MAIN, partName, stepName } from './graph-work.js'
import { isRetryable, retryDelayMs, retryPolicyOf } from './retry-policy.js'

/**
 * Decides which work should be in progress in a run of a graph. Pure: it reads the work and changes
 * nothing.
 */
export function decideGraph(work: GraphWork): readonly WorkflowCommand[] {
  return work.awaited ? [] : decideCursor(work, work.cursors.get(MAIN)!)
}

function decideCursor(work: GraphWork, cursor: Cursor): readonly WorkflowCommand[] {
  switch (cursor.phase) {
    case 'arrived':
      return arrive(work, cursor)
    case 'running':
      return perform(work, cursor)
    case 'recovering':
      return [{ do: 'recover', ...stepOf(work, cursor) }]
    case 'asking':
      return ask(work, cursor)
    case 'ended':
      return conclude(work, cursor)
    case 'finished':
      return decideRoute(work, cursor)
    case 'retrying': {
      const policy = retryPolicyOf(work.graph, nodeOf(work, cursor))
      const ms = retryDelayMs(policy, Math.max(1, cursor.counted - 1))
      return [{ do: 'timer', timer: `retry ${stepName(cursor)}`, ms, jitter: [0.5, 1.5] }]
    }
    case 'forked':
      return followBranches(work, cursor, branch => decideCursor(work, branch))
    case 'done':
      return []
  }
}

// — arriving at a node —

/** A dry run shows the path through the graph; more rounds of the same loop add nothing. */
const DRY_VISITS_MAX = 10

function arrive(work: GraphWork, cursor: Cursor): readonly WorkflowCommand[] {
  const { graph } = work
  const node = nodeOf(work, cursor)
  const isBranch = cursor.id !== MAIN
  if (isBranch && (cursor.node === cursor.join || isExit(node))) return [emit(branchFinished(cursor, null))]
  if (!isBranch) {
    const edge = restartEdge(work, cursor)
    if (edge) return restart(work, cursor, edge)
    if (isTerminal(graph, node)) {
      const back = sendBack(work, cursor, isExit(node) ? null : node.id)
      if (back) return back
    }
  }
  const limits = new AttributeReader(graph.attributes, GRAPH_ATTRIBUTES)
  const visit = (work.visits.get(node.id) ?? 0) + 1
  const own = new AttributeReader(node.attributes, NODE_ATTRIBUTES).number('max_visits')
  const asked = own ?? limits.number('max_node_visits') ?? 0
  const maxVisits = work.input.dryRun && (asked === 0 || asked > DRY_VISITS_MAX) ? DRY_VISITS_MAX : asked
  if (maxVisits > 0 && visit > maxVisits)
    return [fail('max_visits', `"${node.id}" was visited ${maxVisits} times, which is its limit`)]
  const maxSteps = limits.number('max_steps') ?? 1000
  if (work.steps >= maxSteps) return [fail('max_steps', `the run visited ${maxSteps} nodes, which is its limit`)]
  const handler = handlerFor(work, node)
  return [emit(newEvent('node.started', { node: node.id, visit, handler, ...branchOf(cursor) }))]
}

/** Start and exit nodes run no handler, whatever their shape says. */
function handlerFor(work: GraphWork, node: GraphNode): string {
  if (isExit(node)) return 'exit'
  return startNodes(work.graph)[0]?.id === node.id ? 'start' : handlerOf(node, handlersOf(work.input))
}

// — running it —

function perform(work: GraphWork, cursor: Cursor): readonly WorkflowCommand[] {
  const node = nodeOf(work, cursor)
  if (hasChild(cursor.handler) && !work.input.dryRun) return followChild(work, cursor)
  switch (cursor.handler) {
    case 'start':
    case 'exit':
      return [emit(finished(cursor, { status: 'success' }))]
    case 'conditional': {
      const { commit: _, ...passed } = cursor.last ?? { status: 'success' as const }
      return [emit(finished(cursor, passed))]
    }
    case 'wait.human':
      return gate(work, cursor, node)
    case 'wait': {
      const ms = new AttributeReader(node.attributes, NODE_ATTRIBUTES).durationMs('duration') ?? 0
      if (work.input.dryRun) return [emit(finished(cursor, { status: 'success', notes: '[Simulated] waited' }))]
      return [{ do: 'timer', timer: `wait ${stepName(cursor)}`, ms }]
    }
    case 'parallel':
      return fork(work, cursor, node)
    default:
      return [{ do: 'step', ...stepOf(work, cursor) }]
  }
}

/**
 * Asks through the ledger, which also takes the answers of an auto-approved run. A simulated run
 * asks no one.
 */
function gate(work: GraphWork, cursor: Cursor, node: GraphNode): readonly WorkflowCommand[] {
  if (gateOptions(work.graph, node, cursor.context).length === 0 && !takesText(work.graph, node)) {
    const outcome: NodeOutcome = {
      status: 'fail',
      failure_reason: `the gate "${node.id}" has no option: the condition of each of its edges is false`,
      failure_class: 'structural',
    }
    return [emit(finished(cursor, outcome))]
  }
  const name = stepName(cursor)
  if (work.input.dryRun) {
    const approval = 'dry-run'
    const { option, label, text } = simulatedAnswer(work, cursor, node)
    const answered = { gate: name, approval, by: approval, option, label, ...(text !== undefined && { text }) }
    return [emit(newEvent('gate.opened', { gate: name, approval }), newEvent('gate.answered', answered))]
  }
  const { request, timeoutMs } = gateRequest(work, cursor, node)
  const automatic = work.input.isAutoApproved && { automatic: firstAnswer(work, cursor, node) }
  const edge = defaultEdge(work.graph, node, cursor.context)
  const fallback = edge && { fallback: textOf(edge.attributes, 'label') ?? edge.to }
  const limit = timeoutMs !== null && { timeoutMs, ...fallback }
  return [{ do: 'gate', gate: name, request, ...limit, ...automatic }]
}

function ask(work: GraphWork, cursor: Cursor): readonly WorkflowCommand[] {
  const gateName = partName(cursor, 'ask')
  const { automatic } = cursor.question!
  const request = questionRequest(work, cursor, gateName, cursor.question!)
  return [{ do: 'gate', gate: gateName, request, ...(automatic && { automatic }) }]
}

function stepOf(work: GraphWork, cursor: Cursor) {
  const effect = work.input.dryRun ? 'graph.simulated' : `graph.${cursor.handler}`
  const input = {
    node: cursor.node,
    visit: cursor.visit,
    attempt: cursor.attempt,
    branch: cursor.id,
    ...(cursor.answer !== null && { answer: cursor.answer }),
    ...(cursor.reply && { reply: cursor.reply }),
  }
  return { step: stepName(cursor), effect, input, ...branchOf(cursor) }
}

// — leaving it —

function conclude(work: GraphWork, cursor: Cursor): readonly WorkflowCommand[] {
  const node = nodeOf(work, cursor)
  const outcome = cursor.outcome!
  if (outcome.isStalled) return [fail('stalled', outcome.failure_reason ?? `"${node.id}" ended without an outcome`)]
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
  const final = isRetryable(outcome) ? outcomeWithoutRetries(node, outcome, policy.attempts) : outcome
  const keys = Object.keys(outcome.context_updates ?? {})
  const dropped = keys.filter(isEngineKey)
  const events: NewEvent[] = [...(outcome.events ?? []), finished(cursor, final)]
  if (keys.length > 0)
    events.push(
      newEvent('context.changed', {
        node: node.id,
        keys: keys.filter(key => !isEngineKey(key)),
        ...(dropped.length > 0 && { dropped }),
        ...branchOf(cursor),
      }),
    )
  if (outcome.session?.thread) {
    const { thread, agent, id } = outcome.session
    events.push(newEvent('thread.bound', { thread, agent, session: id }))
  }
  return [emit(...events)]
}

function outcomeWithoutRetries(node: GraphNode, outcome: NodeOutcome, attempts: number): NodeOutcome {
  if (new AttributeReader(node.attributes, NODE_ATTRIBUTES).isTrue('allow_partial'))
    return { ...outcome, status: 'partial_success', notes: 'retries exhausted, partial accepted' }
  const reason = outcome.failure_reason ?? outcome.notes ?? 'the handler asked for a retry'
  return { ...outcome, status: 'fail', failure_reason: attempts > 1 ? `max retries exceeded: ${reason}` : reason }
}
