import { SignalboxError } from '../errors/index.js'
import type { LiveSession, SessionRecord } from '../sessions/index.js'
import { personName } from './person-name.js'
import type { Call } from './route.js'

type Caller = Pick<Call, 'host' | 'person'>

/** The session that the caller names. @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS` */
export function sessionOf({ host, person }: Caller, word: string): Promise<SessionRecord> {
  return host.find(word, personName(person.id))
}

/** @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS`, `E_STATE` for a session that has ended. */
export async function liveOf(caller: Caller, word: string): Promise<LiveSession> {
  const record = await sessionOf(caller, word)
  const session = caller.host.live(record.id)
  if (session && !session.exit) return session
  const what = record.state === 'lost' ? `is lost: ${record.endReason ?? 'its end was not recorded'}` : 'has ended'
  throw new SignalboxError('E_STATE', `session ${record.id} ${what}`, {
    next: record.agentSessionId
      ? `signalbox resume ${record.number} continues its conversation`
      : 'start another session',
  })
}
