import type { Clock } from '../clock/index.js'
import { RunDrivers, type RunRecord, readRun } from '../engine/index.js'
import { canResume, oneshotWorkflow } from '../oneshot/index.js'
import type { EventStore } from '../store/index.js'
import { explainRun, type RunExplanation } from './explain-run.js'

/** A run as surfaces show it. */
export type DescribedRun = Omit<RunRecord, 'text'> & RunExplanation

/**
 * The record of a run with its explanation. It reads the leases, because a dead driver writes
 * nothing.
 */
export async function describeRun(
  { store, clock }: { store: EventStore; clock: Clock },
  record: RunRecord,
): Promise<DescribedRun> {
  const isUndriven = await new RunDrivers(store, clock).isUndriven(record)
  const iterations = await iterationsOf(store, record)
  const { text: _, ...shown } = record
  return { ...shown, ...explainRun(record, { isUndriven, iterations }) }
}

async function iterationsOf(store: EventStore, { id, kind, status }: RunRecord): Promise<number | null> {
  if (kind !== 'oneshot' || status !== 'failed') return null
  // The page of the run reports a journal that cannot be folded.
  const read = await readRun(store, id, oneshotWorkflow).catch(() => null)
  return read && !canResume(read.run.work) ? read.run.work.iteration + 1 : null
}
