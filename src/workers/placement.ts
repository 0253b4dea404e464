import type { EventData } from '../events/index.js'
import type { WorkerRecord } from './worker-record.js'

export type PlacementRequest = NonNullable<EventData<'run.created'>['placement']>

/** A worker with the load that it last reported. */
export interface PlacementCandidate {
  record: WorkerRecord
  isConnected: boolean
  /** It has too little free disk space for further work. */
  isFull: boolean
  /** How far its clock is ahead of the store's. */
  clockOffsetMs: number
  /** Steps that it performs now. */
  steps: number
  /** Runs that it has. */
  runs: number
}

/**
 * Chooses a worker for a run: one that is ready, matches everything the run asks for and has room;
 * of those the preferred one, then the least loaded, then the first by name. Pure.
 */
export function chooseWorker(
  request: PlacementRequest,
  candidates: readonly PlacementCandidate[],
  preferred: string | null = null,
): { worker: string; name: string; why: string } | { waits: string } {
  const named = candidates.filter(candidate => matches(request, candidate.record))
  if (named.length === 0) return { waits: `no worker has ${describePlacement(request)}` }
  const ready = named.filter(({ record, isConnected }) => isConnected && record.state === 'ready' && !record.isDraining)
  if (ready.length === 0)
    return { waits: `no ready worker has ${describePlacement(request)} (${describeStates(named)})` }
  const withDiskSpace = ready.filter(({ isFull }) => !isFull)
  if (withDiskSpace.length === 0)
    return { waits: `every worker that has ${describePlacement(request)} has too little free disk space` }
  const withCorrectClock = withDiskSpace.filter(({ clockOffsetMs }) => Math.abs(clockOffsetMs) <= CLOCK_OFFSET_MAX_MS)
  if (withCorrectClock.length === 0) return { waits: `the clock of ${describeOffset(withDiskSpace[0]!)}` }
  const free = withCorrectClock.filter(({ record, steps, runs }) => Math.max(steps, runs) < record.maxSteps)
  if (free.length === 0) return { waits: `every worker that has ${describePlacement(request)} is busy` }
  const isAny = Object.keys(request).length === 0
  const reason = isAny ? 'any worker' : describePlacement(request)
  const near = free.find(({ record }) => record.id === preferred)?.record
  if (near) return { worker: near.id, name: near.name, why: `${reason}, has the parent run` }
  const load = ({ record, steps, runs }: PlacementCandidate) => Math.max(steps, runs) / record.maxSteps
  const [best] = [...free].sort((a, b) => load(a) - load(b) || (a.record.name < b.record.name ? -1 : 1))
  const { id, name } = best!.record
  return { worker: id, name, why: `${reason}, least loaded of ${free.length}` }
}

/** A worker whose clock differs by more than this gets nothing new: times could not be compared. */
export const CLOCK_OFFSET_MAX_MS = 5_000

function describeOffset({ record, clockOffsetMs }: PlacementCandidate): string {
  const by = `${Math.round(Math.abs(clockOffsetMs) / 1000)} s ${clockOffsetMs > 0 ? 'ahead of' : 'behind'}`
  return `${record.name} is ${by} the store’s: set it, or use a time service`
}

function matches({ worker, pool, labels = {} }: PlacementRequest, record: WorkerRecord): boolean {
  if (record.state === 'removed') return false
  if (worker !== undefined && worker !== record.id && worker !== record.name) return false
  if (pool !== undefined && pool !== record.pool) return false
  return Object.entries(labels).every(([name, value]) => record.labels[name] === value)
}

function describePlacement({ worker, pool, labels = {} }: PlacementRequest): string {
  const parts = [
    ...(worker === undefined ? [] : [`the name ${worker}`]),
    ...(pool === undefined ? [] : [`the pool ${pool}`]),
    ...Object.entries(labels).map(([name, value]) => `the label ${name}=${value}`),
  ]
  return parts.length === 0 ? 'joined' : parts.join(' and ')
}

function describeStates(candidates: readonly PlacementCandidate[]): string {
  const states = candidates.map(({ record, isConnected }) => {
    if (record.isDraining) return `${record.name} is draining`
    return `${record.name} is ${record.state === 'ready' && !isConnected ? 'away' : record.state}`
  })
  return states.slice(0, 5).join(', ')
}
