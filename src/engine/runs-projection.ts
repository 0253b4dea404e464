import { type EventData, isEvent } from '../events/index.js'
import { transition } from '../machine/index.js'
import type { ProjectedEvent, Projection } from '../store/index.js'
import { type RunStatus, runStatusTable, statusEventOf } from './run-status-table.js'
import { addUsage, NO_USAGE, type Usage } from './usage.js'

/** A run as lists show it. Small on purpose: it is rewritten with every event of the run. */
export interface RunRecord {
  id: string
  kind: string
  title: string
  project: string
  cwd: string
  person: string
  labels: Record<string, string>
  status: RunStatus
  reason: string | null
  /** The reason as a sentence, if the workflow gave one. */
  text: string | null
  createdAt: number
  startAt: number | null
  startedAt: number | null
  updatedAt: number
  endedAt: number | null
  /** While it waits: when to check again even if no event arrives. */
  wakeAt: number | null
  /** The newest step, and how many steps have started. */
  step: string | null
  steps: number
  /** Open gates by name, with their approval ids. */
  gates: Record<string, string>
  usage: Usage
  parent: string | null
  from: NonNullable<EventData<'run.created'>['from']> | null
  /** Which workers may perform its steps; null: only the server. */
  placement: NonNullable<EventData<'run.created'>['placement']> | null
  /** The sandbox of its agents and commands; null: none. */
  sandbox: NonNullable<EventData<'run.created'>['sandbox']> | null
  /** The worker that has it, and its name. */
  worker: string | null
  workerName: string | null
  /** Counts its moves between workers. */
  epoch: number
  isArchived: boolean
}

const TYPES = [
  'run.created',
  'run.started',
  'run.placed',
  'run.waiting',
  'run.paused',
  'run.resumed',
  'run.taken-over',
  'run.completed',
  'run.failed',
  'run.rejected',
  'run.cancelled',
  'run.archived',
  'step.started',
  'step.ended',
  'step.recovered',
  'timer.fired',
  'gate.opened',
  'gate.answered',
  'gate.expired',
  'gate.refused',
  'child.finished',
] as const

export const runsProjection: Projection<RunRecord> = {
  name: 'runs',
  version: 7,
  types: TYPES,
  key: event => event.stream.slice('run/'.length),
  evolve,
  index: run => ({ status: run.status, parent: run.parent, dueAt: dueAt(run), worker: run.worker }),
}

/**
 * When a run needs a driver: never (null) if it has ended, is paused, or waits for an event from
 * outside.
 */
export function dueAt({ status, startAt, wakeAt }: RunRecord): number | null {
  if (status === 'queued') return startAt ?? 0
  if (status === 'running') return 0
  return status === 'waiting' ? wakeAt : null
}

function evolve(record: RunRecord | null, event: ProjectedEvent): RunRecord | null {
  if (isEvent(event, 'run.created')) return begin(event.stream.slice('run/'.length), event.data, event.at)
  if (!record) return null
  const next: RunRecord = { ...record, updatedAt: event.at }
  const by = statusEventOf(event.type)
  if (by) next.status = transition(runStatusTable, record.status, by)[0]
  const data = event.data as Record<string, unknown>
  if (next.status === 'running') {
    next.startedAt ??= event.at
    next.wakeAt = null
    next.endedAt = null
    next.reason = null
    next.text = null
  }
  switch (event.type) {
    case 'run.placed':
      next.worker = String(data.worker)
      next.workerName = String(data.name)
      next.epoch = Number(data.epoch)
      break
    case 'run.taken-over':
      next.labels = { ...record.labels, ...(data.labels as Record<string, string>) }
      break
    case 'run.waiting':
      next.text = typeof data.reason === 'string' ? data.reason : null
      next.wakeAt = (data.wakeAt as number | null) ?? null
      break
    case 'run.paused':
      next.reason = String(data.reason)
      break
    case 'run.completed':
    case 'run.failed':
    case 'run.rejected':
    case 'run.cancelled':
      if (next.status === record.status) break
      next.reason = String(data.reason)
      next.text = typeof data.text === 'string' && data.text !== '' ? data.text : null
      next.endedAt = event.at
      next.gates = {}
      break
    case 'run.archived':
      next.isArchived = true
      break
    case 'step.started':
      next.step = String(data.step)
      next.steps += 1
      break
    case 'step.ended':
    case 'step.recovered':
      if (data.usage) next.usage = addUsage(record.usage, data.usage as Usage)
      break
    case 'gate.opened':
      next.gates = { ...record.gates, [String(data.gate)]: String(data.approval) }
      break
    case 'gate.answered':
    case 'gate.expired':
    case 'gate.refused': {
      const { [String(data.gate)]: _, ...rest } = record.gates
      next.gates = rest
      break
    }
  }
  return next
}

function begin(id: string, data: EventData<'run.created'>, at: number): RunRecord {
  return {
    id,
    kind: data.kind,
    title: data.title,
    project: data.project,
    cwd: data.cwd,
    person: data.person,
    labels: data.labels ?? {},
    status: 'queued',
    reason: null,
    text: null,
    createdAt: at,
    startAt: data.startAt ?? null,
    startedAt: null,
    updatedAt: at,
    endedAt: null,
    wakeAt: null,
    step: null,
    steps: 0,
    gates: {},
    usage: NO_USAGE,
    parent: data.parent?.run ?? null,
    from: data.from ?? null,
    placement: data.placement ?? null,
    sandbox: data.sandbox ?? null,
    worker: null,
    workerName: null,
    epoch: 0,
    isArchived: false,
  }
}
