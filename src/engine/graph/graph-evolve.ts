import type { EventData, EventType } from '../../events/index.js'
import { textOf } from '../../graph/index.js'
import type { StoredEvent } from '../../store/index.js'
import { defaultEdge, freeformEdge, gateOptions } from './gate-request.js'
import type { NodeOutcome } from './graph-run.js'
import { type Cursor, type GraphWork, isEngineKey, isStepHandler, MAIN, newCursor, stepName } from './graph-work.js'

type Folds = { [T in EventType]?: (work: GraphWork, data: EventData<T>, at: number) => void }

/** Folds one event of a run into its work, in place. Events of steps and branches that nobody waits for any more change nothing. */
export function evolveGraph(work: GraphWork, event: StoredEvent): GraphWork {
  const fold = FOLDS[event.type as EventType] as ((work: GraphWork, data: unknown, at: number) => void) | undefined
  fold?.(work, event.data, event.at)
  return work
}

const FOLDS: Folds = {
  'node.started': (work, { node, visit, handler, branch }) => {
    const cursor = at(work, branch)
    if (!cursor) return
    Object.assign(cursor, {
      node,
      visit,
      handler,
      phase: 'running',
      attempt: 1,
      counted: 1,
      outcome: null,
      salvage: null,
      cycles: 0,
    })
    work.visits.set(node, visit)
    work.steps++
    cursor.context.current_node = node
    cursor.context[`internal.visit.${node}`] = visit
  },
  'node.retrying': (work, { attempt, isCounted, branch }) => {
    const cursor = at(work, branch)
    if (!cursor) return
    cursor.phase = 'retrying'
    cursor.attempt = attempt
    if (isCounted) cursor.counted++
    cursor.outcome = null
    cursor.context[`internal.retry_count.${cursor.node}`] = cursor.counted - 1
  },
  'timer.fired': (work, { timer }) => {
    for (const cursor of work.cursors.values()) {
      if (timer === `retry ${stepName(cursor)}` && cursor.phase === 'retrying') cursor.phase = 'running'
      else if (timer === `wait ${stepName(cursor)}` && cursor.phase === 'running') end(cursor, { status: 'success' })
      else if (timer === `look ${stepName(cursor)} ${cursor.cycles}` && cursor.phase === 'running') cursor.cycles++
    }
  },
  'step.ended': (work, { step, status, result, reason }) => {
    const cursor = cursorOf(work, step)
    if (cursor?.phase !== 'running') return
    if (status === 'cancelled') return
    end(cursor, (result as NodeOutcome | null) ?? failed(reason ?? 'the step gave no outcome', 'unknown'))
  },
  'step.lost': (work, { step }) => {
    const cursor = cursorOf(work, step)
    if (cursor?.phase === 'running') cursor.phase = 'recovering'
  },
  'run.paused': work => {
    // Whoever pauses a run cuts its steps off: they are examined when it goes on.
    for (const cursor of work.cursors.values())
      if (cursor.phase === 'running' && isStepHandler(cursor.handler)) cursor.phase = 'recovering'
  },
  'run.resumed': work => {
    work.failure = null
    for (const cursor of work.cursors.values()) {
      // A node whose failure ended the run is tried anew.
      if (cursor.phase === 'finished' && cursor.outcome?.status === 'fail')
        Object.assign(cursor, { phase: 'running', attempt: cursor.attempt + 1, counted: 1, outcome: null })
    }
  },
  'step.recovered': (work, { step, verdict, text, sessionId, result }) => {
    const cursor = cursorOf(work, step)
    if (cursor?.phase !== 'recovering') return
    if (verdict === 'success') {
      end(cursor, (result as NodeOutcome | undefined) ?? { status: 'success', response: text ?? '' })
      return
    }
    cursor.salvage = verdict === 'partial' ? { text: text ?? '', session: sessionId ?? null } : null
    cursor.attempt++
    cursor.phase = 'running'
  },
  'gate.answered': (work, data) => {
    const cursor = gateCursor(work, data.gate)
    if (!cursor) return
    const node = work.graph.nodes.get(cursor.node)!
    const text = typeof data.text === 'string' ? data.text : undefined
    const chosen = gateOptions(work.graph, node).find(({ key }) => key === data.option)?.edge
    const edge = chosen ?? freeformEdge(work.graph, node)
    const label = typeof data.label === 'string' ? data.label : data.option
    end(cursor, {
      status: 'success',
      ...(edge !== undefined && { edge }),
      preferred_label: label,
      context_updates: {
        'human.gate.selected': data.option,
        'human.gate.label': label,
        'human.gate.by': data.by,
        ...(text !== undefined && { 'human.gate.text': text }),
      },
    })
  },
  'gate.expired': (work, { gate, reason }) => {
    const cursor = gateCursor(work, gate)
    if (cursor) end(cursor, unanswered(work, cursor, reason))
  },
  'child.finished': (work, { child, status, reason, outputs }) => {
    const cursor = cursorOf(work, child)
    if (cursor?.phase !== 'running') return
    const updates = (outputs ?? {}) as Record<string, unknown>
    const isGood = status === 'completed'
    end(cursor, {
      status: isGood ? 'success' : 'fail',
      context_updates: { ...updates, 'stack.child.status': status },
      ...(!isGood && { failure_reason: `the child run is ${status}: ${reason}`, failure_class: 'unknown' as const }),
    })
  },
  'node.finished': (work, data) => finish(work, data),
  'edge.selected': (work, { from, to, edge, unmet, branch }) => {
    const cursor = at(work, branch)
    if (!cursor) return
    if (unmet) cursor.context._goal_gate_unmet = unmet
    Object.assign(cursor, { previous: from, node: to, edge, phase: 'arrived', outcome: null, branches: [] })
  },
  'branch.started': (work, { branch, parent, parallel: _, edge, node, join }) => {
    const owner = at(work, parent)
    if (!owner) return
    const cursor = newCursor(branch, node, structuredClone(owner.context))
    Object.assign(cursor, { parent: owner.id, edge, branchEdge: edge, previous: owner.node, join, last: owner.last })
    work.cursors.set(branch, cursor)
    owner.phase = 'forked'
    owner.branches.push(branch)
  },
  'branch.finished': (work, { branch, status, notes, commit }) => {
    const cursor = work.cursors.get(branch)
    if (!cursor) return
    cursor.phase = 'done'
    cursor.result = { status, ...(notes !== undefined && { notes }), ...(commit !== undefined && { commit }) }
  },
  'branch.cancelled': (work, { branch }) => {
    const cursor = work.cursors.get(branch)
    if (!cursor) return
    cursor.phase = 'done'
    cursor.isCancelled = true
    cursor.result = { status: 'skipped', notes: 'cancelled' }
  },
  'thread.bound': (work, { thread, agent, session }) => {
    work.threads.set(thread, { agent, session })
  },
}

/** A gate that nobody answered takes the edge that its author named for that, and no other. */
function unanswered(work: GraphWork, cursor: Cursor, reason: string): NodeOutcome {
  const edge = defaultEdge(work.graph, work.graph.nodes.get(cursor.node)!)
  if (!edge)
    return { status: 'retry', failure_reason: `human gate timeout, no default (${reason})`, failure_class: 'timeout' }
  const label = textOf(edge.attributes, 'label') ?? edge.to
  return {
    status: 'success',
    edge: edge.id,
    preferred_label: label,
    notes: 'nobody answered; the default was taken',
    context_updates: { 'human.gate.selected': 'default', 'human.gate.label': label },
  }
}

/** What the branches of a parallel node came to, in the order of its edges. */
function branchResults(work: GraphWork, cursor: Cursor): unknown[] {
  return cursor.branches.flatMap(id => {
    const branch = work.cursors.get(id)
    if (!branch) return []
    const { result, context } = branch
    return [
      {
        id,
        status: result?.status ?? 'skipped',
        notes: result?.notes ?? '',
        ...(result?.commit !== undefined && { commit: result.commit }),
        ...(context.score !== undefined && { score: context.score }),
      },
    ]
  })
}

function finish(work: GraphWork, data: EventData<'node.finished'>): void {
  const cursor = at(work, data.branch)
  if (!cursor) return
  const outcome: NodeOutcome = cursor.outcome ?? outcomeOf(data)
  if (cursor.handler === 'parallel') cursor.context['parallel.results'] = branchResults(work, cursor)
  const { context } = cursor
  for (const [key, value] of Object.entries(outcome.context_updates ?? {})) if (!isEngineKey(key)) context[key] = value
  if (data.status !== 'skipped') {
    context.outcome = data.outcome ?? data.status
    work.outcomes.set(data.node, data.status)
  }
  if (data.preferredLabel !== undefined) context.preferred_label = data.preferredLabel
  context.last_stage = data.node
  if (outcome.response !== undefined) {
    context.last_response = outcome.response.slice(0, 200)
    context[`response.${data.node}`] = outcome.response
  }
  if (data.status === 'fail') {
    context._last_error = data.failureReason ?? ''
    context._failed_node = data.node
    context.failure_class = data.failureClass ?? 'unknown'
    const signature = signatureOf(data)
    if (signature !== null) work.signatures.set(signature, (work.signatures.get(signature) ?? 0) + 1)
  }
  for (const branch of cursor.branches) dropBranch(work, branch)
  cursor.branches = []
  work.finished.push({ node: data.node, visit: data.visit, status: data.status, notes: data.notes ?? null })
  cursor.phase = 'finished'
  cursor.outcome = { ...outcome, ...outcomeOf(data) }
  cursor.last = cursor.outcome
}

/** Failures that a further try will not mend count by what they say, numbers and paths left out. */
export function signatureOf({ node, failureClass, failureReason }: EventData<'node.finished'>): string | null {
  if (failureClass !== 'deterministic' && failureClass !== 'structural') return null
  const said = (failureReason ?? '')
    .replace(/(?:\/[\w.-]+)+/g, '‹path›')
    .replace(/\b[0-9a-f]{8,}\b/gi, '‹hex›')
    .replace(/\d+/g, '‹n›')
  return `${node} ${failureClass} ${said.slice(0, 240)}`
}

/** What the event itself says, for nodes that the engine carries out by itself. */
function outcomeOf({
  status,
  outcome,
  preferredLabel,
  notes,
  failureReason,
  failureClass,
}: EventData<'node.finished'>): NodeOutcome {
  return {
    status,
    ...(outcome !== undefined && { outcome }),
    ...(preferredLabel !== undefined && { preferred_label: preferredLabel }),
    ...(notes !== undefined && { notes }),
    ...(failureReason !== undefined && { failure_reason: failureReason }),
    ...(failureClass !== undefined && { failure_class: failureClass as NonNullable<NodeOutcome['failure_class']> }),
  }
}

function dropBranch(work: GraphWork, id: string): void {
  for (const inner of work.cursors.get(id)?.branches ?? []) dropBranch(work, inner)
  work.cursors.delete(id)
}

function end(cursor: Cursor, outcome: NodeOutcome): void {
  cursor.phase = 'ended'
  cursor.outcome = outcome
}

export function failed(reason: string, failureClass: NonNullable<NodeOutcome['failure_class']>): NodeOutcome {
  return { status: 'fail', failure_reason: reason, failure_class: failureClass }
}

function at(work: GraphWork, branch: string | undefined): Cursor | undefined {
  return work.cursors.get(branch ?? MAIN)
}

/** The cursor that waits for this step; an older attempt has none. */
function cursorOf(work: GraphWork, step: string): Cursor | undefined {
  const slash = step.lastIndexOf('/')
  const cursor = work.cursors.get(slash < 0 ? MAIN : step.slice(0, slash))
  return cursor && stepName(cursor) === step ? cursor : undefined
}

function gateCursor(work: GraphWork, gate: string): Cursor | undefined {
  const cursor = cursorOf(work, gate)
  return cursor?.phase === 'running' ? cursor : undefined
}
