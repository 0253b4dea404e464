import type { LivePacks } from '../agents/index.js'
import type { SessionRecord } from '../sessions/index.js'
import { type Explanation, explainRecording } from '../sessions/replay/index.js'
import { openRecording } from '../terminal/recording/index.js'
import { packFor } from './prepare-session.js'

/** Why a session is read as it is at a time of its recording. `version`: of the agent, where it is known. */
export async function explainSession(
  record: SessionRecord,
  { packs, version, at }: { packs: LivePacks; version: string | null; at: number | null },
): Promise<Explanation> {
  const recording = await openRecording(record.recording)
  const live = await packFor(record.agent, packs)
  if (version) await live.useVersion(version)
  live.release()
  const events = async function* () {
    for await (const { event } of recording.events()) yield event
  }
  return explainRecording(events(), { pack: live.pack, cols: recording.header.cols, rows: recording.header.rows, at })
}
