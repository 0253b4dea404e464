import type { Clock } from '../clock/index.js'
import { isEnded, listRuns, RunDrivers, recordPause, recordResume } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import type { EventStore } from '../store/index.js'
import { endStepProcesses } from './leftovers.js'

interface Parts {
  store: EventStore
  clock: Clock
}

/**
 * Pauses a run and the runs that it started; each can be resumed. The process that drives a run
 * stops its steps; what is left of a run whose driver died is ended here.
 * @throws SignalboxError `E_STATE` when the run has already ended.
 */
export async function pauseRun(
  { store, clock }: Parts,
  id: string,
  { by, reason }: { by: string; reason: string },
): Promise<void> {
  const drivers = new RunDrivers(store, clock)
  await recordPause(store, id, { by, reason })
  await endStepProcesses({ store, clock }, id, { mayEnd: async () => !(await drivers.isHeld(id)) })
  for (const child of await childrenOf(store, id))
    if (!isEnded(child.status) && child.status !== 'paused')
      await pauseRun({ store, clock }, child.id, { by, reason: pausedWith(id) }).catch(ignoreEnded)
}

function ignoreEnded(error: unknown): void {
  if (!(error instanceof SignalboxError && error.code === 'E_STATE')) throw error
}

/** Resumes the runs that were paused together with this one. */
export async function resumeChildren(store: EventStore, id: string, by: string): Promise<void> {
  for (const child of await childrenOf(store, id)) {
    if (child.status !== 'paused' || child.reason !== pausedWith(id)) continue
    await recordResume(store, child.id, { by })
    await resumeChildren(store, child.id, by)
  }
}

async function childrenOf(store: EventStore, id: string) {
  return (await listRuns(store)).filter(({ parent }) => parent === id)
}

function pausedWith(parent: string): string {
  return `run ${parent} was paused`
}
