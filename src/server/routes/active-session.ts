import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import type { SessionRecord } from '../../sessions/index.js'
import { liveOf } from '../live-session-of.js'
import { personName } from '../person-name.js'
import { type Call, type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { sent, session } from '../schemas/sessions.js'
import { sessionView } from '../views/session-view.js'
import { messageBody, send } from './session-messages.js'

/** The session that a person's words go to when they name none: each person has one on each surface. */
export const activeSessionRoutes: readonly Route[] = [
  route({
    id: 'active-session.get',
    method: 'GET',
    path: '/active-session',
    summary: 'The session that prompts without an id go to: chosen last, else used most recently.',
    access: 'viewer',
    answers: { 200: answer('the session', session) },
    handle: async call => call.json(sessionView(call.host, await call.host.active(whoOf(call)))),
  }),
  route({
    id: 'active-session.choose',
    method: 'POST',
    path: '/active-session',
    summary: 'Makes a session the one that prompts without an id go to.',
    access: 'approver',
    body: z.strictObject({ session: z.string().describe('its id, a unique beginning of it, or its number') }),
    answers: { 200: answer('the session', session) },
    handle: async call => {
      const record = await call.host.find(call.body.session)
      await call.host.choose(record, whoOf(call))
      return call.json(sessionView(call.host, await call.host.record(record.id)))
    },
  }),
  route({
    id: 'active-session.send',
    method: 'POST',
    path: '/active-session/messages',
    summary: 'Sends a prompt to the active session, or holds it until the agent rests.',
    access: 'approver',
    body: messageBody,
    answers: { 202: answer('what became of it', sent) },
    handle: async call => send(call, await liveOf(call.host, (await call.host.active(whoOf(call))).id)),
  }),
]

/** The caller's active session; null when none of theirs runs. */
export async function activeOf(call: Pick<Call, 'host' | 'person' | 'surface'>): Promise<SessionRecord | null> {
  return call.host.active(whoOf(call)).catch((error: unknown) => {
    if (error instanceof SignalboxError && error.code === 'E_UNKNOWN') return null
    throw error
  })
}

function whoOf({ person, surface }: Pick<Call, 'person' | 'surface'>): { person: string; surface: string } {
  return { person: personName(person.id), surface }
}
