import { type RunRecord, runStream } from '../../engine/index.js'
import type { ServerParts } from '../parts.js'
import type { Progress } from './run-progress.js'

export type RunView = RunRecord & { version: number; progress: Progress | null }

/** A run's record with the version of its journal, and how far it is. */
export async function runView(
  { parts }: { parts: Pick<ServerParts, 'host' | 'progress'> },
  record: RunRecord,
): Promise<RunView> {
  const version = await parts.host.store.streamVersion(runStream(record.id))
  return { ...record, version, progress: await parts.progress.of(record, version) }
}
