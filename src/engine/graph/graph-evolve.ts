import type { EventData, EventType } from '../../events/index.js'
import { type Graph, gateOptions, textOf } from '../../graph/index.js'
import type { StoredEvent } from '../../store/index.js'
import { foldPart } from './evolve-parts.js'
import { failureSignature, failureText } from './failure-signature.js'
import { defaultEdge, freeformEdge } from './gate-request.js'
import { type GraphInput, graphOf, type NodeOutcome } from './graph-run.js'
import {
  type Cursor,
  type GraphWork,
  hasChild,
  isEngineKey,
  isStepHandler,
  MAIN,
  newCursor,
  type Reply,
  stepName,
} from './graph-work.js'

type Folds = { [T in EventType]?: (work: GraphWork, data: EventData<T>, at: number) => void }

/**
 * Folds one event of a run into its work, in place. Events of superseded steps and branches change
 * nothing.
 */
export function evolveGraph(work: GraphWork, event: StoredEvent): GraphWork {
  const fold = FOLDS[event.type as EventType] as ((work: GraphWork, data: unknown, at: number) => void) | undefined
  fold?.(work, event.data, event.at)
  return work
}

const FOLDS: Folds = {
  // The runs that it starts from now on are the daemon's too.
  'run.taken-over': (work, { labels }) => {
    work.about = { ...work.about, labels: { ...work.about.labels, ...labels } }
  },
  'node.started': (work, { node, visit, handler, branch }) => {
    const cursor = cursorOf(work, branch)
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
      death: null,
      question: null,
      answer: null,
      reply: undefined,
      merged: null,
      child: null,
      cycles: 0,
      isLooking: false,
      isStopping: false,
      steeredAt: null,
    })
    work.visits.set(node, visit)
    work.steps++
    cursor.context.current_node = node
    cursor.context[`internal.visit.${node}`] = visit
  },
  'node.retrying': (work, { attempt, isCounted, branch }) => {
    const cursor = cursorOf(work, branch)
    if (!cursor) return
    Object.assign(cursor, { phase: 'retrying', attempt, outcome: null, death: null, child: null, cycles: 0 })
    if (isCounted) cursor.counted++
    cursor.context[`internal.retry_count.${cursor.node}`] = cursor.counted - 1
  },
  'timer.fired': (work, { timer }) => {
    for (const cursor of work.cursors.values()) {
      if (timer === `retry ${stepName(cursor)}` && cursor.phase === 'retrying') cursor.phase = 'running'
      else if (timer === `wait ${stepName(cursor)}` && cursor.phase === 'running') end(cursor, { status: 'success' })
      else if (timer === `look ${stepName(cursor)} ${cursor.cycles}` && cursor.phase === 'running')
        cursor.isLooking = true
    }
  },
  'step.started': (work, { step }) => {
    const { cursor, part } = find(work, step)
    if (cursor && (part === 'stop' || part === 'giveup')) cursor.isStopping = true
  },
  'step.ended': (work, { step, status, result, reason }, time) => {
    const { cursor, part } = find(work, step)
    if (!cursor || status === 'cancelled') return
    const outcome = (result as NodeOutcome | null) ?? failed(reason ?? 'the step returned no outcome', 'unknown')
    if (part !== null) foldPart(cursor, part, outcome, time)
    else if (cursor.phase === 'running') applyOutcome(cursor, outcome)
  },
  'step.lost': (work, { step }) => {
    const { cursor, part } = find(work, step)
    // A part of a node's work can simply run again.
    if (cursor?.phase === 'running' && part === null) cursor.phase = 'recovering'
  },
  'run.paused': work => {
    // Pausing a run interrupts its steps: they are recovered when it resumes.
    for (const cursor of work.cursors.values())
      if (cursor.phase === 'running' && isStepHandler(cursor.handler)) cursor.phase = 'recovering'
  },
  'run.resumed': (work, { changes }) => {
    changeGraph(work, changes)
    for (const cursor of work.cursors.values()) {
      const isOver = cursor.phase === 'finished' || cursor.phase === 'ended'
      // Retry the node whose failure ended the run.
      if (isOver && cursor.outcome?.status === 'fail')
        Object.assign(cursor, {
          phase: 'running',
          attempt: cursor.attempt + 1,
          counted: 1,
          outcome: null,
          merged: null,
          child: null,
          cycles: 0,
          // The person's reply was meant for the failed attempt.
          reply: undefined,
        })
    }
  },
  'run.steered': (work, { text }) => {
    work.steering.push(text)
  },
  'step.recovered': (work, { step, verdict, text, sessionId, result }) => {
    const { cursor } = find(work, step)
    if (cursor?.phase !== 'recovering') return
    const { death } = cursor
    cursor.death = null
    if (verdict === 'success') {
      applyOutcome(cursor, (result as NodeOutcome | undefined) ?? { status: 'success', response: text ?? '' })
      return
    }
    cursor.salvage = verdict === 'partial' ? { text: text ?? '', session: sessionId ?? null } : null
    if (death) {
      end(cursor, death)
      return
    }
    // We stopped it ourselves, or lost its host: start another attempt, and do not count this one.
    cursor.attempt++
    cursor.phase = 'running'
  },
  'gate.answered': (work, data) => {
    const { cursor, part } = find(work, data.gate)
    if (!cursor) return
    if (part === 'ask') {
      if (cursor.phase !== 'asking') return
      cursor.answer = data.option
      cursor.reply = replyOf(data)
      cursor.question = null
      cursor.attempt++
      cursor.phase = cursor.handler === 'parallel' ? 'forked' : 'running'
    } else if (cursor.phase === 'running') answered(work, cursor, data)
  },
  'gate.expired': (work, { gate, reason }) => {
    const { cursor, part } = find(work, gate)
    if (cursor?.phase === 'running' && part === null) end(cursor, unanswered(work, cursor, reason))
  },
  'child.finished': (work, { child, status, reason, outputs }) => {
    const { cursor } = find(work, child)
    if (cursor?.phase !== 'running' || !hasChild(cursor.handler) || cursor.isStopping) return
    const updates = (outputs ?? {}) as Record<string, unknown>
    const isGood = status === 'completed'
    end(cursor, {
      status: isGood ? 'success' : 'fail',
      context_updates: { ...updates, 'stack.child.status': status, 'stack.child.outcome': isGood ? 'success' : 'fail' },
      ...(!isGood && { failure_reason: `the child run is ${status}: ${reason}`, failure_class: 'unknown' as const }),
    })
  },
  'node.finished': (work, data) => finish(work, data),
  'edge.selected': (work, { from, to, edge, unmet, branch }) => {
    const cursor = cursorOf(work, branch)
    if (!cursor) return
    if (unmet) cursor.context._goal_gate_unmet = unmet
    Object.assign(cursor, { previous: from, node: to, edge, phase: 'arrived', outcome: null, branches: [] })
  },
  'branch.started': (work, { branch, parent, edge, node, join }) => {
    const owner = cursorOf(work, parent)
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

/**
 * A person resumes with another version of the graph. One that cannot be parsed, or that lacks the
 * current nodes, changes nothing.
 */
function changeGraph(work: GraphWork, changes: Record<string, unknown> | undefined): void {
  const { dot, hash, file, trusted } = changes ?? {}
  if (typeof dot !== 'string') return
  const input: GraphInput = {
    ...work.input,
    dot,
    hash: typeof hash === 'string' ? hash : '',
    file: typeof file === 'string' ? file : null,
    ...(Array.isArray(trusted) && { trusted: trusted.map(String) }),
  }
  const graph = readable(input)
  if (!graph || [...work.cursors.values()].some(({ node }) => !graph.nodes.has(node))) return
  work.input = input
  work.graph = graph
}

function readable(input: GraphInput): Graph | null {
  try {
    return graphOf(input)
  } catch {
    return null
  }
}

/**
 * Takes a handler's result: an outcome, a death that needs recovery, or a question to ask first.
 */
function applyOutcome(cursor: Cursor, outcome: NodeOutcome): void {
  if (outcome.isDeath) {
    cursor.death = outcome
    cursor.phase = 'recovering'
  } else if (outcome.question) {
    cursor.question = outcome.question
    cursor.phase = 'asking'
  } else end(cursor, outcome)
}

function replyOf({ gate: _, ...data }: EventData<'gate.answered'>): Reply {
  return data as unknown as Reply
}

/**
 * The chosen option names an edge; typed text follows the freeform edge. Anything else leaves the
 * gate open: it asks again.
 */
function answered(work: GraphWork, cursor: Cursor, data: EventData<'gate.answered'>): void {
  const node = work.graph.nodes.get(cursor.node)!
  const text = typeof data.text === 'string' ? data.text : undefined
  const choices = Array.isArray(data.choices) ? data.choices.map(String) : [data.option]
  const options = gateOptions(work.graph, node, cursor.context)
  const chosen = options.find(({ key }) => key === data.option)
  const edge = chosen?.edge ?? (text === undefined ? undefined : freeformEdge(work.graph, node))
  const isTyped = text !== undefined && textOf(node.attributes, 'human.type') === 'freeform'
  if (edge === undefined && !isTyped) return
  const label = chosen?.label ?? (typeof data.label === 'string' ? data.label : data.option)
  end(cursor, {
    status: 'success',
    ...(edge !== undefined && { edge }),
    ...(label !== '' && { preferred_label: label }),
    ...(data.by === 'auto-approve' && { notes: 'approved automatically' }),
    context_updates: {
      'human.gate.selected': choices.join(','),
      'human.gate.label': label,
      'human.gate.by': data.by,
      ...(text !== undefined && { 'human.gate.text': text }),
    },
  })
}

/** An unanswered gate follows its `human.default_choice` edge, or fails. */
function unanswered(work: GraphWork, cursor: Cursor, reason: string): NodeOutcome {
  if (reason.startsWith('skipped')) return failed(reason, 'canceled')
  const edge = defaultEdge(work.graph, work.graph.nodes.get(cursor.node)!, cursor.context)
  if (!edge)
    return { status: 'retry', failure_reason: `human gate timeout, no default (${reason})`, failure_class: 'timeout' }
  const label = textOf(edge.attributes, 'label') ?? edge.to
  return {
    status: 'success',
    edge: edge.id,
    preferred_label: label,
    notes: 'not answered in time; the default was taken',
    context_updates: { 'human.gate.selected': 'default', 'human.gate.label': label },
  }
}

/** The results of a parallel node's branches, in the order of its edges. */
function branchResults(work: GraphWork, cursor: Cursor): unknown[] {
  const taken = new Map<string, number>()
  return cursor.branches.flatMap(id => {
    const branch = work.cursors.get(id)
    if (!branch) return []
    const { result, context } = branch
    const first = work.graph.edges.find(edge => edge.id === branch.branchEdge)?.to ?? id
    const count = (taken.get(first) ?? 0) + 1
    taken.set(first, count)
    const changed = Object.entries(context).filter(
      ([key, value]) => !isEngineKey(key) && !isSame(value, cursor.context[key]),
    )
    return [
      {
        // People and agents name a branch by its first node; a second branch to the same node has a
        // number.
        id: count === 1 ? first : `${first}-${count}`,
        branch: id,
        status: result?.status ?? 'skipped',
        notes: result?.notes ?? '',
        context_updates: Object.fromEntries(changed),
        ...(result?.commit !== undefined && { commit: result.commit }),
        ...(context.score !== undefined && { score: context.score }),
      },
    ]
  })
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b))
}

function finish(work: GraphWork, data: EventData<'node.finished'>): void {
  const cursor = cursorOf(work, data.branch)
  if (!cursor) return
  const outcome: NodeOutcome = cursor.outcome ?? outcomeOf(data)
  const { context } = cursor
  if (cursor.handler === 'parallel') context['parallel.results'] = branchResults(work, cursor)
  for (const [key, value] of Object.entries(outcome.context_updates ?? {})) if (!isEngineKey(key)) context[key] = value
  if (data.status !== 'skipped') {
    context.outcome = data.outcome ?? data.status
    work.outcomes.set(data.node, data.status)
  }
  if (data.preferredLabel !== undefined) context.preferred_label = data.preferredLabel
  else if (cursor.handler !== 'start') delete context.preferred_label
  context.last_stage = data.node
  if (outcome.response !== undefined) {
    context.last_response = outcome.response.slice(0, 200)
    // A large response is already there, as an artifact reference.
    if (!Object.hasOwn(outcome.context_updates ?? {}, `response.${data.node}`))
      context[`response.${data.node}`] = outcome.response
  }
  // A diamond only passes on the failure of the node before it.
  if (data.status === 'fail' && cursor.handler !== 'conditional') {
    const failure = outcomeOf(data)
    context._last_error = data.failureReason ?? ''
    context._failed_node = data.node
    context.failure_class = data.failureClass ?? 'unknown'
    const signature = failureSignature(data.node, failure)
    if (signature !== null) work.signatures.set(signature, (work.signatures.get(signature) ?? 0) + 1)
    work.lastFailure = failureText(data.node, failure)
  }
  for (const branch of cursor.branches) dropBranch(work, branch)
  cursor.branches = []
  if (['codergen', 'prompt'].includes(cursor.handler)) work.steering = []
  if (data.commit !== undefined) cursor.commit = data.commit
  const done = (context._completed_nodes as string[] | undefined) ?? []
  if (!done.includes(data.node)) context._completed_nodes = [...done, data.node]
  work.finished.push({ node: data.node, visit: data.visit, status: data.status, notes: data.notes ?? null })
  cursor.phase = 'finished'
  cursor.outcome = { ...outcome, ...outcomeOf(data) }
  cursor.last = cursor.outcome
}

/** The outcome recorded in the event itself, for nodes that the engine runs without a handler. */
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

function failed(reason: string, failureClass: NonNullable<NodeOutcome['failure_class']>): NodeOutcome {
  return { status: 'fail', failure_reason: reason, failure_class: failureClass }
}

function cursorOf(work: GraphWork, branch: string | undefined): Cursor | undefined {
  return work.cursors.get(branch ?? MAIN)
}

/**
 * Finds the cursor that waits for this step, gate or child, and which part of the node it is.
 * Superseded attempts have none.
 */
function find(work: GraphWork, name: string): { cursor: Cursor | undefined; part: string | null } {
  const plus = name.lastIndexOf('+')
  const step = plus < 0 ? name : name.slice(0, plus)
  const slash = step.lastIndexOf('/')
  const cursor = work.cursors.get(slash < 0 ? MAIN : step.slice(0, slash))
  return {
    cursor: cursor && stepName(cursor) === step ? cursor : undefined,
    part: plus < 0 ? null : name.slice(plus + 1),
  }
}
