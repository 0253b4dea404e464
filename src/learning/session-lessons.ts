import { readFile } from 'node:fs/promises'
import { loadAgent } from '../agents/index.js'
import { readWholeRecording } from '../terminal/recording/index.js'
import { type DatedStatement, readAnyTranscript } from './any-transcript.js'
import type { TaughtRecording } from './recordings.js'
import { momentsOf } from './transcript-moments.js'

/** A session that Signalbox recorded. */
export interface RecordedSession {
  id: string
  agent: string
  recording: string
  cwd: string
  agentSessionId: string | null
  /** Milliseconds since the epoch. */
  startedAt: number
}

/**
 * A recorded session, taught by the agent's own transcript. `screensAt`: times (milliseconds) of
 * screens that no rule explained; what the transcript says about them is learned, too.
 */
export async function readSession(
  session: RecordedSession,
  options: { env: NodeJS.ProcessEnv; transcript: string | null; screensAt: readonly number[] },
): Promise<TaughtRecording> {
  const { header, events } = await readWholeRecording(session.recording)
  const statements =
    options.transcript === null
      ? await ownTranscript(session, options.env)
      : readAnyTranscript(await readFile(options.transcript, 'utf8'))
  const startedAt = session.startedAt / 1000
  return {
    name: `${session.id}.cast`,
    file: session.recording,
    cols: header.cols,
    rows: header.rows,
    events,
    moments: momentsOf(statements, { startedAt, events, also: options.screensAt }),
  }
}

/** What the agent wrote about this conversation; nothing if it has no transcript. */
async function ownTranscript(session: RecordedSession, env: NodeJS.ProcessEnv): Promise<DatedStatement[]> {
  const adapter = await loadAgent(session.agent).catch(() => null)
  if (!adapter?.transcript) return []
  const { cwd, agentSessionId, startedAt } = session
  const lookup = { env, cwd, agentSessionId, startedAt }
  const [path] = await adapter.transcript.locate(lookup)
  if (path === undefined) return []
  const reader = adapter.transcript.open(path, lookup)
  try {
    const { statements } = await reader.read()
    return statements.filter((statement): statement is DatedStatement => statement.at !== null)
  } finally {
    reader.close()
  }
}
