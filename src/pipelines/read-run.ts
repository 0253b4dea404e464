import { join } from 'node:path'
import {
  Artifacts,
  addUsage,
  graphWorkflow,
  MAIN,
  type RunRecord,
  type RunStatus,
  readRun,
  runStream,
  type Usage,
} from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { type EventData, isEvent } from '../events/index.js'
import type { EventStore, StoredEvent } from '../store/index.js'
import type { PipelineArgs } from './args.js'
import { PIPELINE_LABEL, type PipelineRegistry } from './registry.js'
import { freeze, type HistoryEntry, type ImplementationState } from './state.js'
import { argsOfRun, readArgs, readState } from './stored-state.js'

export interface PipelineRun {
  args: PipelineArgs
  /** Complete: with its history, and with the status of the run. */
  state: ImplementationState
  /** The current or next node. */
  next: string | null
  usage: UsageRow[]
}

/** Usage of agents for one role, task and model. */
interface UsageRow {
  role: string
  agent: string
  model: string | null
  task: number | null
  steps: number
  usage: Usage
}

export function isPipelineRun({ kind, labels }: Pick<RunRecord, 'kind' | 'labels'>): boolean {
  return kind === 'graph' && labels[PIPELINE_LABEL] !== undefined
}

/**
 * @throws SignalboxError `E_CONFIG` for a run of an unknown pipeline or a newer version; the run is
 * not changed.
 */
export async function readPipelineRun(
  store: EventStore,
  record: Omit<RunRecord, 'text'>,
  { registry, runDirectory }: { registry: PipelineRegistry; runDirectory(run: string): string },
): Promise<PipelineRun> {
  const { work } = (await readRun(store, record.id, graphWorkflow)).run
  const cursor = work.cursors.get(MAIN)!
  const given = readArgs(cursor.context)
  if (!given) throw new SignalboxError('E_INPUT', `run ${record.id} is not a pipeline run`)
  const args = argsOfRun(given, record.id, work.input.workspace)
  if (!registry.has(args.pipeline))
    throw new SignalboxError('E_CONFIG', `run ${record.id} belongs to an unknown pipeline: ${args.pipeline}`, {
      next: 'update Signalbox; the run was not changed',
    })
  const events = await store.readStream(runStream(record.id))
  const artifacts = new Artifacts(join(runDirectory(record.id), 'artifacts'))
  const stored = readState(cursor.context, args, artifacts, args !== given)
  const ended = { cancelled: 'cancelled', rejected: 'rejected', failed: 'failed' } as const
  const state: ImplementationState = {
    ...stored,
    status: STATUS[record.status],
    outcome: record.status in ended ? ended[record.status as keyof typeof ended] : stored.outcome,
    pending_user_input: Object.keys(record.gates).length > 0,
    history: historyOf(events),
    error: record.status === 'failed' ? record.reason : stored.error,
  }
  return { args, state: freeze(state), next: record.endedAt === null ? cursor.node : null, usage: usageOf(events) }
}

const STATUS: Readonly<Record<RunStatus, ImplementationState['status']>> = {
  queued: 'pending',
  running: 'running',
  waiting: 'paused',
  paused: 'paused',
  completed: 'completed',
  failed: 'failed',
  rejected: 'failed',
  cancelled: 'failed',
}

function historyOf(events: readonly StoredEvent[]): HistoryEntry[] {
  return events.flatMap(event => (isEvent(event, 'history.added') ? [event.data] : []))
}

function usageOf(events: readonly StoredEvent[]): UsageRow[] {
  const rows = new Map<string, UsageRow>()
  for (const event of events) {
    if (!isEvent(event, 'usage.recorded')) continue
    const { role, agent, model, task, usage = NOTHING } = event.data as EventData<'usage.recorded'>
    const key = JSON.stringify([role, agent, model, task])
    const row = rows.get(key)
    if (row) rows.set(key, { ...row, steps: row.steps + 1, usage: addUsage(row.usage, usage) })
    else rows.set(key, { role, agent, model, task, steps: 1, usage })
  }
  return [...rows.values()]
}

const NOTHING: Usage = { input: 0, output: 0 }
