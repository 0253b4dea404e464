import type { Clock } from '../clock/index.js'
import { listRuns, RunDrivers, recordCancel } from '../engine/index.js'
import type { EventStore } from '../store/index.js'
import { endStepProcesses } from './leftovers.js'

/**
 * Cancels a run and the runs that it started. The process that drives a run ends its steps; what is
 * left of a run whose driver died is ended here.
 * @throws SignalboxError `E_STATE` when the run has already ended.
 */
export async function cancelRun(
  { store, clock }: { store: EventStore; clock: Clock },
  id: string,
  by: { by: string; reason: string },
): Promise<void> {
  const drivers = new RunDrivers(store, clock)
  const runs = await listRuns(store)
  const runAndDescendants = [id]
  for (const parent of runAndDescendants)
    runAndDescendants.push(...runs.filter(run => run.parent === parent).map(run => run.id))
  await recordCancel(store, id, by)
  for (const run of runAndDescendants)
    await endStepProcesses({ store, clock }, run, { mayEnd: async () => !(await drivers.isHeld(run)) })
}
