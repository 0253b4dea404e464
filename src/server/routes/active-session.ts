import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import type { SessionPort, SessionRecord } from '../../sessions/index.js'
import { personName } from '../caller.js'
import { type Call, type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { sent, session } from '../schemas/sessions.js'
import { sessionView } from '../views/session-view.js'
import { messageBody, send } from './session-messages.js'

/** The session that receives prompts without an id. Each person has one on each surface. */
export const activeSessionRoutes: readonly Route[] = [
  route({
    id: 'active-session.get',
    method: 'GET',
    path: '/active-session',
    summary: 'The session that receives prompts without an id: the one chosen last, otherwise the one used last.',
    access: 'viewer',
    answers: { 200: answer('the session', session) },
    handle: async call => call.json(sessionView(call.host, await call.host.active(senderFields(call)))),
  }),
  route({
    id: 'active-session.choose',
    method: 'POST',
    path: '/active-session',
    summary: 'Chooses the session that receives prompts without an id.',
    access: 'approver',
    body: z.strictObject({ session: z.string().describe('its id, a unique prefix of it, or its number') }),
    answers: { 200: answer('the session', session) },
    handle: async call => {
      const record = await sessionOf(call, call.body.session)
      await call.host.choose(record, senderFields(call))
      return call.json(sessionView(call.host, await call.host.record(record.id)))
    },
  }),
  route({
    id: 'active-session.send',
    method: 'POST',
    path: '/active-session/messages',
    summary: 'Sends a prompt to the active session, or holds it until the agent is idle.',
    access: 'approver',
    body: messageBody,
    answers: { 202: answer('the result', sent) },
    handle: async call => send(call, await liveOf(call, (await call.host.active(senderFields(call))).id)),
  }),
]

export async function activeOf(call: Pick<Call, 'host' | 'person' | 'surface'>): Promise<SessionRecord | null> {
  return call.host.active(senderFields(call)).catch((error: unknown) => {
    if (error instanceof SignalboxError && error.code === 'E_UNKNOWN') return null
    throw error
  })
}

function senderFields({ person, surface }: Pick<Call, 'person' | 'surface'>): { person: string; surface: string } {
  return { person: personName(person.id), surface }
}

/** The session that the caller names. @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS` */
export function sessionOf({ host, person }: Pick<Call, 'host' | 'person'>, word: string): Promise<SessionRecord> {
  return host.find(word, personName(person.id))
}

/** @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS`, `E_STATE` for a session that has ended. */
export async function liveOf(caller: Pick<Call, 'host' | 'person'>, word: string): Promise<SessionPort> {
  const record = await sessionOf(caller, word)
  const session = await caller.host.whenLive(record.id)
  if (session && !session.exit) return session
  const what = record.state === 'lost' ? `is lost: ${record.endReason ?? 'its end was not recorded'}` : 'has ended'
  throw new SignalboxError('E_STATE', `session ${record.id} ${what}`, {
    next: record.agentSessionId
      ? `signalbox resume ${record.number} continues its conversation`
      : 'start another session',
  })
}
