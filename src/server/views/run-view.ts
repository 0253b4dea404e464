import { type RunRecord, runStream } from '../../engine/index.js'
import { describeRun } from '../../runs/index.js'
import type { Run } from '../api-types.js'
import type { ServerParts } from '../parts.js'
import type { Sendable } from '../wire/index.js'

/** A run with its explanation, the version of its journal, and its progress. */
export async function runView(
  { parts }: { parts: Pick<ServerParts, 'host' | 'progress'> },
  record: RunRecord,
): Promise<Sendable<Run>> {
  const version = await parts.host.store.streamVersion(runStream(record.id))
  return { ...(await describeRun(parts.host, record)), version, progress: await parts.progress.of(record, version) }
}
