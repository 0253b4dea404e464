import { type RunRecord, runStream } from '../../engine/index.js'
import type { EventStore } from '../../store/index.js'

export type RunView = RunRecord & { version: number }

/** A run's record with the version of its journal. */
export async function runView(store: EventStore, record: RunRecord): Promise<RunView> {
  return { ...record, version: await store.streamVersion(runStream(record.id)) }
}
