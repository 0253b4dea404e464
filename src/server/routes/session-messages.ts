import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import type { EventData } from '../../events/index.js'
import type { Host } from '../../host/index.js'
import { type SessionPort, turnPrompts } from '../../sessions/index.js'
import type { StoredEvent } from '../../store/index.js'
import type { Message } from '../api-types.js'
import { type Call, type Route, route } from '../route.js'
import { answer, okAnswer } from '../schemas/common.js'
import { conversation, heldPrompts, sent } from '../schemas/sessions.js'
import type { Sendable } from '../wire/index.js'
import { liveOf, sessionOf } from './active-session.js'

export const messageBody = z.strictObject({
  text: z.string().min(1),
  /** The dashboard's name of the option: `after-turn` holds the prompt until idle. */
  when: z.enum(['now', 'after-turn']).optional(),
  /** While the agent works: put into its queue, held here until idle, or refused. */
  whenBusy: z.enum(['queue', 'hold', 'refuse']).optional(),
  meaning: z.enum(['auto', 'text', 'command']).default('auto'),
  clearDraft: z.boolean().default(false),
  id: z
    .string()
    .regex(/^msg_[0-9a-z]{16}$/)
    .optional()
    .describe('a name for the prompt, chosen by the caller: a prompt with the same name is typed only once'),
})

export const sessionMessageRoutes: readonly Route[] = [
  route({
    id: 'sessions.send',
    method: 'POST',
    path: '/sessions/:id/messages',
    summary: 'Sends a prompt, or holds it until the agent is idle.',
    access: 'approver',
    body: messageBody,
    answers: { 202: answer('the result', sent) },
    handle: async call => {
      return send(call, await liveOf(call, call.params.id!))
    },
  }),
  route({
    id: 'sessions.held',
    method: 'GET',
    path: '/sessions/:id/messages',
    summary: 'Prompts that are held until the agent is idle.',
    access: 'viewer',
    answers: { 200: answer('held prompts', heldPrompts) },
    handle: async ({ host, person, params, json }) => {
      const record = await sessionOf({ host, person }, params.id!)
      const held = (await host.whenLive(record.id))?.heldPrompts ?? []
      return json({ items: held.map(({ id, text }) => ({ id, text, state: 'held' })) })
    },
  }),
  route({
    id: 'sessions.drop-message',
    method: 'DELETE',
    path: '/sessions/:id/messages/:message',
    summary: 'Withdraws a prompt that is held.',
    access: 'approver',
    answers: { 200: okAnswer },
    handle: async ({ host, person, params, json }) => {
      const live = await liveOf({ host, person }, params.id!)
      if (!(await live.dropPrompt(params.message!)))
        throw new SignalboxError('E_UNKNOWN', `no prompt "${params.message}" is held`, {
          next: 'it may have been sent',
        })
      return json({ ok: true })
    },
  }),
  route({
    id: 'sessions.conversation',
    method: 'GET',
    path: '/sessions/:id/conversation',
    summary: 'The messages of a session, oldest first; the answer in progress is provisional.',
    access: 'viewer',
    query: z.strictObject({
      before: z.string().max(64).optional().describe('only messages before this one'),
      limit: z.coerce.number().int().min(1).max(200).optional(),
    }),
    answers: { 200: answer('the conversation', conversation) },
    handle: async call => {
      const { host, params, query } = call
      const record = await sessionOf(call, params.id!)
      // A command prints what the agent has said up to now; a page shows the rest as it comes.
      if (call.who.kind === 'socket') await host.whenLive(record.id)
      const limit = query.limit ?? (call.who.kind === 'socket' ? null : 50)
      const page = await conversationOf(host, record.id, { before: query.before ?? null, limit })
      return call.json({ session: record.id, ...page, position: await call.position() })
    },
  }),
]

/** The messages of a session: `limit` of them (null: all) before the named one, or the newest. */
export async function conversationOf(
  host: Host,
  session: string,
  { before, limit }: { before: string | null; limit: number | null },
) {
  const events = await host.store.readStream(`session/${session}`)
  const all = finalMessages(events)
  const end = before === null ? all.length : all.findIndex(({ message }) => message === before)
  if (end < 0) throw new SignalboxError('E_INPUT', `unknown message "${before}"`, { next: 'omit "before"' })
  const begin = Math.max(0, end - (limit ?? all.length))
  const messages = all.slice(begin, end)
  const live = host.live(session)
  const open = live?.openMessage
  if (before === null && live && open && live.blocks.length > 0)
    messages.push({ at: host.clock.now(), ...open, blocks: live.blocks, provisional: true })
  const prompts = turnPrompts(events).map(({ turn, at, prompt }) => ({ turn, at, text: prompt }))
  return { messages, prompts, before: begin > 0 ? all[begin]!.message : null }
}

/** Types the prompt of a call, or holds it, and answers with the result. */
export async function send(call: Call<unknown, z.output<typeof messageBody>>, live: SessionPort): Promise<Response> {
  const { text, when, whenBusy, meaning, clearDraft, id } = call.body
  const result = await live.send(text, {
    whenBusy: whenBusy ?? (when === 'after-turn' ? 'hold' : 'queue'),
    meaning,
    clearsDraft: clearDraft,
    ...(id !== undefined && { id }),
  })
  return call.json({ ...result, session: live.id, position: await call.position() }, 202)
}

/** The last revision of each message, in the order of their first revisions. */
function finalMessages(events: readonly StoredEvent[]): Sendable<Message>[] {
  const messages = new Map<string, Sendable<Message>>()
  for (const event of events) {
    if (event.type !== 'message.final') continue
    // The log accepts blocks of any kind; only `screen/` makes them.
    const data = event.data as EventData<'message.final'> & Pick<Message, 'blocks'>
    messages.set(data.message, { at: messages.get(data.message)?.at ?? event.at, ...data, provisional: false })
  }
  return [...messages.values()]
}
