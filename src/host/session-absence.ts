import { terminalGroups } from '../process/index.js'
import type { SendPort, SessionRecord } from '../sessions/index.js'

/**
 * Why keys would not reach the agent of a session: it is stopped, or another program has its terminal. Null: they would, or this system
 * does not tell. A program of which nothing is known may start whatever it likes.
 */
export function absenceOf({ agent, pid }: SessionRecord): ReturnType<NonNullable<SendPort['absence']>> {
  const groups = agent === 'generic' ? null : terminalGroups(pid)
  if (!groups) return null
  if (groups.isStopped) return { reason: 'no-agent', detail: 'the agent is suspended' }
  if (groups.foreground > 0 && groups.foreground !== groups.own)
    return { reason: 'no-agent', detail: 'another program has the agent’s terminal' }
  return null
}
