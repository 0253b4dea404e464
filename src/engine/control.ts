import { approvalStream } from '../approvals/requests/index.js'
import { matchingIds, newId } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { type EventData, newEvent } from '../events/index.js'
import { type DocumentFilter, type EventStore, retryConflicts, type StreamAppend } from '../store/index.js'
import { currentTrace } from '../telemetry/index.js'
import { graphCreation } from './graph/graph-run.js'
import { runStream } from './run-journal.js'
import { isEnded } from './run-status-table.js'
import { type RunRecord, runsProjection } from './runs-projection.js'

/*
 * Commands of people about runs. None of this needs the lease: any process appends the event at the
 * version it read, and the process that drives the run reacts to it.
 */

export async function createRun(
  store: EventStore,
  create: EventData<'run.created'>,
  at: number,
  id = newId('run'),
): Promise<string> {
  const trace = currentTrace()
  const created = trace === undefined ? create : { ...create, trace }
  const events = created.kind === 'graph' ? graphCreation(created, at) : [newEvent('run.created', created, at)]
  await store.append(runStream(id), 0, events)
  return id
}

/** @throws SignalboxError `E_UNKNOWN` */
export async function getRun(store: EventStore, id: string): Promise<RunRecord> {
  const found = await getRunIfKnown(store, id)
  if (found) return found
  throw new SignalboxError('E_UNKNOWN', `unknown run "${id}"`, { next: 'signalbox runs lists all runs' })
}

/** Null for an unknown run; throws the errors of the store. */
export async function getRunIfKnown(store: EventStore, id: string): Promise<RunRecord | null> {
  return (await store.document<RunRecord>(runsProjection.name, id))?.state ?? null
}

/** All runs, newest first. For lists; code that polls uses the filtered queries below. */
export function listRuns(store: EventStore): Promise<RunRecord[]> {
  return runsWhere(store, {})
}

/** The runs that are due at or before this time, newest first. */
export function runsDueBy(store: EventStore, at: number): Promise<RunRecord[]> {
  return runsWhere(store, { dueAt: { atMost: at } })
}

/** The runs that have not ended, newest first. */
export function listOpenRuns(store: EventStore): Promise<RunRecord[]> {
  return runsWhere(store, { status: ['queued', 'running', 'waiting', 'paused'] })
}

/** The runs that a worker has and that have not ended. */
export function runsOnWorker(store: EventStore, worker: string): Promise<RunRecord[]> {
  return runsOnWorkers(store, [worker])
}

/** The open runs of all these workers, newest first. */
export function runsOnWorkers(store: EventStore, workers: readonly string[]): Promise<RunRecord[]> {
  return runsWhere(store, { worker: [...workers], status: ['queued', 'running', 'waiting'] })
}

/** Newest first. */
export function childrenOf(store: EventStore, parent: string): Promise<RunRecord[]> {
  return runsWhere(store, { parent })
}

async function runsWhere(store: EventStore, where: NonNullable<DocumentFilter['where']>): Promise<RunRecord[]> {
  const documents = await store.documents<RunRecord>(runsProjection.name, { where })
  return documents.map(({ state }) => state).sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
}

/**
 * Finds a run by id, by a unique prefix of an id, or by `latest` (in `cwd`, if given).
 * @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS`
 */
export async function findRun(store: EventStore, word: string, cwd?: string): Promise<RunRecord> {
  const runs = await listRuns(store)
  if (word === 'latest') {
    const newest = runs.find(run => !run.isArchived && (cwd === undefined || run.cwd === cwd || run.project === cwd))
    if (newest) return newest
    throw new SignalboxError('E_UNKNOWN', 'there are no runs yet', {
      next: 'signalbox run, implement, review or oneshot starts one',
    })
  }
  const found = matchingIds('run', runs, word)
  if (found.length === 1) return found[0]!
  if (found.length === 0)
    throw new SignalboxError('E_UNKNOWN', `unknown run "${word}"`, { next: 'signalbox runs lists all runs' })
  throw new SignalboxError('E_ID_AMBIGUOUS', `"${word}" matches several runs: ${found.map(run => run.id).join(', ')}`)
}

/**
 * Cancels a run and its child runs, and closes its open gates. The process that drives it stops its
 * steps.
 * @throws SignalboxError `E_STATE` when the run has already ended.
 */
export async function recordCancel(
  store: EventStore,
  id: string,
  { by, reason }: { by: string; reason: string },
): Promise<void> {
  await change(store, id, async record => {
    if (isEnded(record.status))
      throw new SignalboxError('E_STATE', `run ${id} is already ${record.status}`, { next: 'nothing was changed' })
    const usage = record.usage
    const appends: StreamAppend[] = Object.entries(record.gates).map(([, approval]) => ({
      stream: approvalStream(approval),
      expected: 'any',
      events: [newEvent('approval.cancelled', { reason: 'the run was cancelled' })],
    }))
    if (record.parent) {
      const created = (await store.readStream(runStream(id), { limit: 1 }))[0]!.data as EventData<'run.created'>
      const finished = { child: created.parent!.child, run: id, status: 'cancelled', reason }
      appends.push({
        stream: runStream(record.parent),
        expected: 'any',
        events: [newEvent('child.finished', finished)],
      })
    }
    return { events: [newEvent('run.cancelled', { reason, by, usage })], appends }
  })
  for (const child of (await childrenOf(store, id)).filter(run => !isEnded(run.status)))
    await recordCancel(store, child.id, { by, reason: `run ${id} was cancelled` }).catch(ignoreEnded)
}

/**
 * Pauses a run so that it can be resumed later. The event is written before any step is stopped.
 */
export async function recordPause(
  store: EventStore,
  id: string,
  { by, reason }: { by: string; reason: string },
): Promise<void> {
  await change(store, id, async record => {
    if (record.status === 'paused') return null
    if (isEnded(record.status)) throw new SignalboxError('E_STATE', `run ${id} is already ${record.status}`)
    return { events: [newEvent('run.paused', { reason, by })], appends: [] }
  })
}

/** Resumes a paused or failed run; the workflow decides what that means. */
export async function recordResume(
  store: EventStore,
  id: string,
  { by, changes }: { by: string; changes?: Record<string, unknown> },
): Promise<void> {
  await change(store, id, async record => {
    if (record.status === 'running' || record.status === 'waiting' || record.status === 'queued') return null
    if (record.status !== 'paused' && record.status !== 'failed')
      throw new SignalboxError('E_STATE', `run ${id} is ${record.status}; only a paused or failed run can be resumed`)
    return { events: [newEvent('run.resumed', { by, ...(changes && { changes }) })], appends: [] }
  })
}

/** Appends at the version that was read; retries when another process was first. */
async function change(
  store: EventStore,
  id: string,
  judge: (
    record: RunRecord,
  ) => Promise<{ events: ReturnType<typeof newEvent>[]; appends: readonly StreamAppend[] } | null>,
): Promise<void> {
  await retryConflicts(async () => {
    const expected = await store.streamVersion(runStream(id))
    const wanted = await judge(await getRun(store, id))
    if (!wanted) return
    await store.appendAll([{ stream: runStream(id), expected, events: wanted.events }, ...wanted.appends])
  })
}

function ignoreEnded(error: unknown): void {
  if (!(error instanceof SignalboxError && error.code === 'E_STATE')) throw error
}
