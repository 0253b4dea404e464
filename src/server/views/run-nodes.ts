import type { EventData } from '../../events/index.js'
import type { StoredEvent } from '../../store/index.js'
import type { InMilliseconds, NodeVisit as Visit } from '../api-types.js'
import { ENDS, partsOfStep, type RunStep, stepsOf } from './run-steps.js'

/** One visit of a node, from its start to its final outcome, with every attempt. */
export type NodeVisit = InMilliseconds<Visit>

/**
 * Visits in order of their start. The nodes of a run without a graph are its steps. Nothing works
 * at a node of a run that is paused, or that no process drives.
 */
export function visitsOf(events: readonly StoredEvent[], { isUndriven }: { isUndriven: boolean }): NodeVisit[] {
  const visits = new Map<string, NodeVisit>()
  const open = new Map<string, NodeVisit>()
  const keyOf = (branch: unknown, node: unknown, visit: unknown) => `${branch ?? ''} ${String(node)}@${String(visit)}`
  for (const { type, data, at } of events) {
    if (type === 'node.started') {
      const { node, visit, handler, branch } = data as EventData<'node.started'>
      const made = newVisit(node, visit, branch ?? null, handler, at)
      visits.set(keyOf(branch, node, visit), made)
      open.set(`${branch ?? ''} ${node}`, made)
    } else if (type === 'node.retrying') {
      const { node, visit, attempt, reason, branch } = data as EventData<'node.retrying'>
      visits.get(keyOf(branch, node, visit))?.retries.push({ attempt, reason, at })
    } else if (ENDS.has(type)) cancelOpen(visits.values(), at)
    else if (type === 'run.paused') endRunning(visits.values(), 'paused', at)
    else if (type === 'run.resumed') reopen(visits.values())
    else if (type === 'node.finished') finish(visits.get(keyOf(data.branch, data.node, data.visit)), data, at)
    else if (type === 'edge.selected') {
      const { from, to, edge, reason, branch } = data as EventData<'edge.selected'>
      const visit = open.get(`${branch ?? ''} ${from}`)
      if (visit) visit.edge = { to, edge, reason }
    } else if (type === 'gate.opened' || type === 'gate.answered' || type === 'gate.expired') {
      const gate = String(data.gate)
      const { branch, node, visit: number } = partsOfStep(gate)
      const visit = visits.get(keyOf(branch ?? undefined, node, number)) ?? open.get(`${branch ?? ''} ${node}`)
      if (visit) noteGate(visit, type, gate, String(data.approval), at)
    }
  }
  if (isUndriven) endRunning(visits.values(), 'interrupted', events.at(-1)?.at ?? 0)
  for (const step of stepsOf(events)) {
    const key = keyOf(step.branch ?? undefined, step.node, step.visit)
    const visit = visits.get(key) ?? fromStep(step)
    visits.set(key, visit)
    visit.attempts.push(step)
    if (visit.handler === null) settleFromStep(visit, step)
  }
  return [...visits.values()].sort((a, b) => a.startedAt - b.startedAt)
}

function newVisit(node: string, visit: number, branch: string | null, handler: string | null, at: number): NodeVisit {
  return {
    node,
    visit,
    branch,
    handler,
    startedAt: at,
    endedAt: null,
    status: 'running',
    outcome: null,
    notes: null,
    failureReason: null,
    failureClass: null,
    commit: null,
    edge: null,
    retries: [],
    gates: [],
    attempts: [],
  }
}

function finish(visit: NodeVisit | undefined, data: Record<string, unknown>, at: number): void {
  if (!visit) return
  const { status, outcome, notes, failureReason, failureClass, commit } = data as EventData<'node.finished'>
  Object.assign(visit, {
    endedAt: at,
    status,
    outcome: outcome ?? null,
    notes: notes ?? null,
    failureReason: failureReason ?? null,
    failureClass: failureClass ?? null,
    commit: commit ?? null,
  })
}

function cancelOpen(visits: Iterable<NodeVisit>, at: number): void {
  for (const visit of visits)
    if (visit.endedAt === null || visit.status === 'paused')
      Object.assign(visit, { endedAt: visit.endedAt ?? at, status: 'cancelled' })
}

/** A gate that waits for its answer waits in a paused run, too. */
function endRunning(visits: Iterable<NodeVisit>, status: 'paused' | 'interrupted', at: number): void {
  for (const visit of visits)
    if (visit.endedAt === null && visit.status === 'running') Object.assign(visit, { endedAt: at, status })
}

function reopen(visits: Iterable<NodeVisit>): void {
  for (const visit of visits)
    if (visit.status === 'cancelled' || visit.status === 'paused')
      Object.assign(visit, { endedAt: null, status: 'running' })
}

function noteGate(visit: NodeVisit, type: string, gate: string, approval: string, at: number): void {
  if (type === 'gate.opened') {
    visit.gates.push({ gate, approval, openedAt: at, endedAt: null })
    visit.status = 'waiting'
    return
  }
  const asked = visit.gates.find(candidate => candidate.approval === approval)
  if (asked) asked.endedAt = at
  if (visit.endedAt === null) visit.status = 'running'
}

function fromStep(step: RunStep): NodeVisit {
  return newVisit(step.node, step.visit, step.branch, null, step.startedAt)
}

const STATUS: Readonly<Record<string, NodeVisit['status']>> = {
  ok: 'success',
  cut: 'cancelled',
  cancelled: 'cancelled',
}

function settleFromStep(visit: NodeVisit, step: RunStep): void {
  visit.endedAt = step.endedAt
  visit.status = step.endedAt === null ? 'running' : (STATUS[step.status] ?? 'fail')
  visit.failureReason = step.status === 'ok' ? null : step.reason
}
