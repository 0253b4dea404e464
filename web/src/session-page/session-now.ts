import { requestTitle } from '../../../src/approvals/request-title'
import type { Approval, Pane, Session } from '../api/types'
import { isProgram } from '../store/session-name'
import { isLiveSession } from '../ui/status'

/** What a session does, needs or has done: one sentence, and since when it holds. */
export interface SessionNow {
  text: string
  since: Session['startedAt'] | null
}

/** `pending`: its requests that wait for a decision, oldest first. */
export function sessionNow(
  session: Session,
  pane: Pick<Pane, 'doing' | 'since' | 'shown'> | undefined,
  pending: readonly Approval[],
): SessionNow {
  if (!isLiveSession(session)) return { text: endOf(session), since: session.endedAt ?? null }
  const [first, ...others] = pending
  if (first) {
    const more = others.length > 0 ? `, and ${others.length} more` : ''
    return { text: `${requestTitle(first)}${more}`, since: first.requestedAt }
  }
  const since = pane?.since ?? null
  if (session.awaiting) return { text: session.question ?? 'Answer it in the terminal', since }
  if (session.catchingUp) return { text: 'Reading what was printed while Signalbox was away', since: null }
  if (session.paused && !session.busy) return { text: 'Its budget is used up', since: session.paused.since }
  if (isProgram(session)) return { text: pane?.doing ? `Runs ${pane.doing}` : 'The program is running', since }
  if (session.busy) return { text: pane?.doing || 'The agent is working', since }
  if (session.state === 'starting') return { text: 'The agent is starting', since: null }
  if (session.activeAt === undefined) return { text: 'Ready for the first prompt', since: null }
  return { text: pane?.shown === 'done' ? 'Finished' : 'Ready for the next prompt', since: session.activeAt }
}

function endOf({ state, endReason, exit, agent }: Session): string {
  const what = isProgram({ agent }) ? 'The program' : 'The agent'
  if (state === 'lost') return 'The terminal was lost; how the agent ended is unknown'
  if (endReason === 'stopped') return 'The session was stopped'
  if (exit?.signal) return `${what} was ended by ${exit.signal}`
  return exit?.code ? `${what} exited with code ${exit.code}` : 'The session ended'
}
