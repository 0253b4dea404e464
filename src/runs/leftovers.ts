import type { Clock } from '../clock/index.js'
import { getRun, isEnded, listRuns, type RunDrivers, type RunRecord, runStream } from '../engine/index.js'
import { type EventData, isEvent } from '../events/index.js'
import {
  endProcesses,
  findMarkedProcesses,
  type GroupLeader,
  isOfStep,
  isOfStepOfRun,
  type MarkedProcess,
} from '../process/index.js'
import type { EventStore } from '../store/index.js'

const KILL_GRACE_MS = 5_000

export interface LeftoverParts {
  store: EventStore
  clock: Clock
}

export interface LeftoverOptions {
  /** Names of steps whose processes stay: `<run>/<step>`. */
  keep?: ReadonlySet<string>
  /**
   * Whether to end them, asked after they were found. Left out by the process that drives the run.
   */
  mayEnd?(): Promise<boolean>
}

/** Ends the processes that the steps of a run have left behind: TERM first, then KILL. */
export async function endStepProcesses(
  { store, clock }: LeftoverParts,
  run: string,
  { keep = new Set(), mayEnd }: LeftoverOptions = {},
): Promise<void> {
  const isKept = (found: MarkedProcess) => [...keep].some(name => isOfStep(found, name))
  const isWanted = (found: MarkedProcess) => isOfStepOfRun(found, run) && !isKept(found)
  const leaders = (await spawnedSteps(store, run)).filter(({ step }) => !keep.has(`${run}/${step}`))
  await endProcesses({ leaders, isWanted, graceMs: KILL_GRACE_MS, clock, ...(mayEnd && { mayEnd }) })
}

/**
 * Ends what belongs to runs of this store that no process drives: of ended and paused ones, and of
 * those whose driver died. `keep` names the steps that run in sessions which a driver will
 * continue.
 */
export async function endAllStepProcesses(
  parts: LeftoverParts & { drivers: RunDrivers },
  keep: ReadonlySet<string>,
): Promise<void> {
  for (const record of await runsOf(parts.store, await findMarkedProcesses())) {
    const { id, placement } = record
    // Processes that it left behind are on its worker.
    if (placement) continue
    const kept = isOver(record) ? new Set<string>() : keep
    await endStepProcesses(parts, id, { keep: kept, mayEnd: async () => !(await parts.drivers.isHeld(id)) })
  }
}

/** The runs of this store to which the processes belong. */
async function runsOf(store: EventStore, processes: readonly MarkedProcess[]): Promise<RunRecord[]> {
  const names = new Set(processes.flatMap(({ mark }) => (typeof mark === 'string' ? mark.split('/', 1) : [])))
  const named = await Promise.all([...names].map(id => getRun(store, id).catch(() => null)))
  const nameless = processes.filter(({ mark }) => typeof mark !== 'string')
  const all = nameless.length === 0 ? [] : await listRuns(store)
  const others = all.filter(({ id }) => !names.has(id) && nameless.some(found => isOfStepOfRun(found, id)))
  return [...named.filter(record => record !== null), ...others]
}

function isOver({ status }: RunRecord): boolean {
  return isEnded(status) || status === 'paused'
}

/** The processes of steps whose end is not in the journal. */
async function spawnedSteps(store: EventStore, run: string): Promise<(GroupLeader & { step: string })[]> {
  const open = new Map<string, EventData<'step.spawned'>>()
  for (const event of await store.readStream(runStream(run))) {
    if (isEvent(event, 'step.spawned')) open.set(event.data.step, event.data)
    if (isEvent(event, 'step.ended')) open.delete(event.data.step)
  }
  return [...open.values()]
}
