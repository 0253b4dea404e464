import { loadAgent } from '../agents/index.js'
import type { Clock } from '../clock/index.js'
import type { LiveListener } from '../engine/index.js'
import { StatementActivities, TranscriptTail } from '../reports/index.js'
import type { SessionRecord } from '../sessions/index.js'

/** Reports the transcript of a session as activities of its step while it grows. */
export interface TranscriptStream {
  /** The last piece of the answer in the transcript; empty before there is one. */
  readonly lastText: string
  /** Reports what has been written since, then stops. */
  finish(): Promise<void>
}

/**
 * Follows the transcript of a session. `agentSession` gives the agent's own session id, which may
 * be known late. An agent without a transcript reports nothing. A host that takes over reads from
 * the start; the listener skips what the log of the step already has.
 */
export async function followTranscript(
  record: SessionRecord,
  agentSession: () => string | null,
  listener: LiveListener,
  clock: Clock,
): Promise<TranscriptStream> {
  const { transcript } = await loadAgent(record.agent)
  const activities = new StatementActivities()
  if (!transcript) return { lastText: '', finish: () => Promise.resolve() }
  // Some agents write whole seconds. Entries of an earlier session belong to that session.
  const from = Math.floor(record.startedAt / 1000) * 1000
  const tail = new TranscriptTail({
    transcript,
    lookup: () => ({
      env: { ...process.env, ...record.agentVariables },
      cwd: record.cwd,
      agentSessionId: agentSession(),
      startedAt: record.startedAt,
    }),
    clock,
    onStatement: (statement, { at }) => {
      if (at !== null && at < from) return
      for (const body of activities.addStatement(statement)) listener.log(body)
    },
    // Without its transcript the step has no tool calls in its log; the run continues.
    onError: error =>
      listener.log({ type: 'notice', level: 'warning', text: `cannot read the transcript: ${String(error)}` }),
  })
  tail.start()
  return {
    get lastText() {
      return activities.said
    },
    finish: () => tail.stop(),
  }
}
