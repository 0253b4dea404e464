import { type EventType, isEvent } from '../events/index.js'
import type { ProjectedEvent, Projection } from '../store/index.js'

/** A worker as lists show it: a projection of its events. */
export interface WorkerRecord {
  id: string
  name: string
  pool: string
  labels: Record<string, string>
  /** Those of its invitation, which its own settings cannot change. */
  invited: { pool: string; labels: Record<string, string> }
  /** Its public key, as SPKI in base64. */
  key: string
  /** `joined`: it has not connected yet. */
  state: 'joined' | 'ready' | 'away' | 'lost' | 'removed'
  isDraining: boolean
  joinedAt: number
  /** When its state last changed. */
  changedAt: number
  boot: string | null
  version: string | null
  maxSteps: number
  maxSessions: number
  agents: string[]
}

const TYPES: readonly EventType[] = [
  'worker.joined',
  'worker.connected',
  'worker.away',
  'worker.lost',
  'worker.drained',
  'worker.removed',
]

export const workersProjection: Projection<WorkerRecord> = {
  name: 'workers',
  version: 4,
  types: TYPES,
  key: event => event.stream.slice('worker/'.length),
  evolve,
}

/** The pool of a worker that was invited into none. */
export const DEFAULT_POOL = 'default'

export function workerStream(id: string): string {
  return `worker/${id}`
}

function evolve(record: WorkerRecord | null, event: ProjectedEvent): WorkerRecord | null {
  if (isEvent(event, 'worker.joined')) {
    const { name, pool, labels, key } = event.data
    return {
      id: event.stream.slice('worker/'.length),
      name,
      pool,
      labels,
      invited: { pool, labels },
      key,
      state: 'joined',
      isDraining: false,
      joinedAt: event.at,
      changedAt: event.at,
      boot: null,
      version: null,
      maxSteps: 1,
      maxSessions: 0,
      agents: [],
    }
  }
  if (!record || record.state === 'removed') return record
  const changed = { ...record, changedAt: event.at }
  if (isEvent(event, 'worker.drained')) {
    // The list shows since when a worker is away: that time must not change.
    const isShown = record.state === 'ready' && record.isDraining !== event.data.isDraining
    return { ...(isShown ? changed : record), isDraining: event.data.isDraining }
  }
  if (isEvent(event, 'worker.connected')) {
    const { pool, labels, maxSessions = 0, ...data } = event.data
    const { invited } = record
    const own = {
      pool: invited.pool === DEFAULT_POOL ? (pool ?? DEFAULT_POOL) : invited.pool,
      labels: { ...labels, ...invited.labels },
    }
    return { ...changed, ...data, ...own, maxSessions, state: 'ready' }
  }
  if (isEvent(event, 'worker.away')) return { ...changed, state: record.state === 'ready' ? 'away' : record.state }
  if (isEvent(event, 'worker.lost')) return { ...changed, state: 'lost' }
  if (isEvent(event, 'worker.removed')) return { ...changed, state: 'removed' }
  return record
}
