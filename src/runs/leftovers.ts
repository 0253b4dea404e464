import type { Clock } from '../clock/index.js'
import { getRun, isEnded, type RunDrivers, type RunRecord, runStream } from '../engine/index.js'
import { type EventData, isEvent } from '../events/index.js'
import { endProcesses, type GroupLeader, markedProcesses } from '../process/index.js'
import type { EventStore } from '../store/index.js'

const KILL_GRACE_MS = 5_000

export interface LeftoverParts {
  store: EventStore
  clock: Clock
}

export interface LeftoverOptions {
  /** Names of steps whose processes stay: `<run>/<step>`. */
  keep?: ReadonlySet<string>
  /** Whether to end them, asked after they were found. Left out by the process that drives the run. */
  mayEnd?(): Promise<boolean>
}

/** Ends the processes that the steps of a run have left behind: TERM first, then KILL. */
export async function endLeftovers(
  { store, clock }: LeftoverParts,
  run: string,
  { keep = new Set(), mayEnd }: LeftoverOptions = {},
): Promise<void> {
  const isMarked = (mark: string) => mark.startsWith(`${run}/`) && !keep.has(mark)
  const leaders = (await spawnedSteps(store, run)).filter(({ step }) => !keep.has(`${run}/${step}`))
  await endProcesses({ leaders, isMarked, graceMs: KILL_GRACE_MS, clock, ...(mayEnd && { mayEnd }) })
}

/**
 * Ends what belongs to runs of this store that no process drives: of ended and paused ones, and of
 * those whose driver died. `keep` names the steps that run in sessions which a driver will continue.
 */
export async function endAllLeftovers(
  parts: LeftoverParts & { drivers: RunDrivers },
  keep: ReadonlySet<string>,
): Promise<void> {
  const runs = new Set(markedProcesses().map(({ mark }) => mark.slice(0, mark.indexOf('/'))))
  for (const id of runs) {
    const record = await getRun(parts.store, id).catch(() => null)
    if (!record || record.placement) continue
    const kept = isOver(record) ? new Set<string>() : keep
    await endLeftovers(parts, id, { keep: kept, mayEnd: async () => !(await parts.drivers.isHeld(id)) })
  }
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
