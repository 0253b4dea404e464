import { loadAgent } from '../agents/index.js'
import type { Clock } from '../clock/index.js'
import type { LiveListener } from '../engine/index.js'
import { StatementActivities, TranscriptTail } from '../reports/index.js'
import type { SessionRecord } from '../sessions/index.js'

/** The transcript of a session, told as the activities of its step while it grows. */
export interface LiveStream {
  /** The last piece of the answer that stands there; empty before there is one. */
  readonly said: string
  /** Tells what has been written since, and nothing more. */
  finish(): Promise<void>
}

/**
 * `session` is asked for the agent's own id, which may become known late. Where the agent keeps no transcript, there is nothing to tell.
 * A host that takes over reads from the beginning; what the log of the step has already is not told again.
 */
export async function followTranscript(
  record: SessionRecord,
  session: () => string | null,
  listener: LiveListener,
  clock: Clock,
): Promise<LiveStream> {
  const { transcript } = await loadAgent(record.agent)
  const activities = new StatementActivities()
  if (!transcript) return { said: '', finish: () => Promise.resolve() }
  // Some agents write whole seconds. What stands there from an earlier session was told by that one.
  const from = Math.floor(record.startedAt / 1000) * 1000
  const tail = new TranscriptTail({
    transcript,
    place: () => ({
      env: { ...process.env, ...record.places },
      cwd: record.cwd,
      agentSessionId: session(),
      startedAt: record.startedAt,
    }),
    clock,
    onStatement: (statement, { at }) => {
      if (at !== null && at < from) return
      for (const body of activities.take(statement)) listener.log(body)
    },
    // A transcript that cannot be read costs the log its tools, not the run its worker.
    onError: error => listener.log({ type: 'notice', level: 'warning', text: `its transcript: ${String(error)}` }),
  })
  tail.start()
  return {
    get said() {
      return activities.said
    },
    finish: () => tail.stop(),
  }
}
