import { SignalboxError } from '../errors/index.js'
import { WORKER_LEASE_MS } from './protocol.js'
import type { WorkerRecord } from './worker-record.js'

/** The error for a worker that is away, with the time since when. */
export function workerAway(record: WorkerRecord | null, holder: { until: number } | null): SignalboxError {
  const name = record?.name ?? 'the worker'
  const since = record?.state === 'ready' ? (holder?.until ?? record.changedAt) - WORKER_LEASE_MS : record?.changedAt
  const at = since === undefined ? '' : ` since ${new Date(since).toISOString()}`
  const state = record?.state === 'lost' || record?.state === 'removed' ? record.state : 'away'
  return new SignalboxError('E_WORKER_AWAY', `worker ${name} is ${state}${at}`, {
    next: `signalbox workers show ${name}`,
    ...(since !== undefined && { details: { worker: name, since } }),
  })
}
