import { defineMachine, type EventOf, type StateOf } from '../machine/index.js'

export const runStatusTable = defineMachine({
  name: 'run',
  about:
    'The status of a run: what `signalbox runs` shows. A completed, rejected or cancelled run stays as it is; a failed one can be resumed.',
  states: ['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'rejected', 'cancelled'],
  events: ['started', 'waiting', 'woken', 'paused', 'resumed', 'completed', 'failed', 'rejected', 'cancelled'],
  initial: 'queued',
  actions: {},
  rows: [
    ['queued', 'started', 'running'],
    ['running', 'started', '='],
    ['running', 'waiting', 'waiting'],
    ['waiting', ['started', 'woken'], 'running'],
    ['running', 'woken', '='],
    [['running', 'waiting', 'queued'], 'paused', 'paused'],
    [['paused', 'failed'], 'resumed', 'running'],
    [['running', 'waiting', 'paused'], 'completed', 'completed'],
    [['running', 'waiting', 'paused'], 'failed', 'failed'],
    [['running', 'waiting', 'paused'], 'rejected', 'rejected'],
    [['queued', 'running', 'waiting', 'paused'], 'cancelled', 'cancelled'],
  ],
})

export type RunStatus = StateOf<typeof runStatusTable>
export type RunStatusEvent = EventOf<typeof runStatusTable>

export function isEnded(status: RunStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'rejected' || status === 'cancelled'
}

const STATUS_EVENTS: Readonly<Record<string, RunStatusEvent>> = {
  'run.started': 'started',
  'run.waiting': 'waiting',
  'run.paused': 'paused',
  'run.resumed': 'resumed',
  'run.completed': 'completed',
  'run.failed': 'failed',
  'run.rejected': 'rejected',
  'run.cancelled': 'cancelled',
  'timer.fired': 'woken',
  'gate.answered': 'woken',
  'gate.expired': 'woken',
  'gate.refused': 'woken',
  'child.finished': 'woken',
}

/** The table's event for a stored event; null if it does not affect the status. */
export function statusEventOf(type: string): RunStatusEvent | null {
  return STATUS_EVENTS[type] ?? null
}
