import { SignalboxError } from '../errors/index.js'
import type { Host } from '../host/index.js'
import type { LiveSession } from '../sessions/index.js'

/** @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS`, `E_STATE` for a session that has ended. */
export async function liveOf(host: Host, word: string): Promise<LiveSession> {
  const record = await host.find(word)
  const session = host.live(record.id)
  if (session && !session.exit) return session
  const what = record.state === 'lost' ? `is lost: ${record.endReason ?? 'its end was not recorded'}` : 'has ended'
  throw new SignalboxError('E_STATE', `session ${record.id} ${what}`, {
    next: record.agentSessionId
      ? `signalbox resume ${record.number} continues its conversation`
      : 'start another session',
  })
}
