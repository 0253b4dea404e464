import { Hono } from 'hono'
import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'
import type { StoredEvent } from '../../store/index.js'
import { readBody } from '../body.js'
import { liveOf } from '../live-session-of.js'

const messageBody = z.strictObject({
  text: z.string(),
  /** While the agent works: in its own queue where it has one, held here until it rests, or refused. */
  whenBusy: z.enum(['queue', 'hold', 'refuse']).default('queue'),
  meaning: z.enum(['auto', 'text', 'command']).default('auto'),
  clearDraft: z.boolean().default(false),
})

/** Prompts in, answers out. */
export function sessionMessageRoutes(host: Host): Hono {
  const app = new Hono()

  app.post('/sessions/:id/messages', async context => {
    const { text, whenBusy, meaning, clearDraft } = await readBody(context, messageBody)
    const session = await liveOf(host, context.req.param('id'))
    const result = await session.send(text, { whenBusy, meaning, clearsDraft: clearDraft })
    return context.json({ ...result, position: await host.store.head() }, 202)
  })

  app.get('/sessions/:id/messages', async context => {
    const session = await liveOf(host, context.req.param('id'))
    return context.json({ items: session.heldPrompts.map(({ id, text }) => ({ id, text, state: 'held' })) })
  })

  app.delete('/sessions/:id/messages/:message', async context => {
    const session = await liveOf(host, context.req.param('id'))
    const message = context.req.param('message')
    if (!session.dropPrompt(message))
      throw new SignalboxError('E_UNKNOWN', `no prompt "${message}" is held`, { next: 'it may have been sent already' })
    return context.json({ ok: true })
  })

  app.get('/sessions/:id/conversation', async context => {
    const record = await host.find(context.req.param('id'))
    const messages = finalMessages(await host.store.readStream(`session/${record.id}`))
    const session = host.live(record.id)
    const open = session?.openMessage
    if (session && open && session.blocks.length > 0)
      messages.push({ at: host.clock.now(), ...open, blocks: session.blocks, provisional: true })
    return context.json({ session: record.id, messages, position: await host.store.head() })
  })

  return app
}

/** In the order in which they were first said, each as it was said last. */
function finalMessages(events: readonly StoredEvent[]): Record<string, unknown>[] {
  const messages = new Map<string, Record<string, unknown>>()
  for (const event of events) {
    if (event.type !== 'message.final') continue
    const name = String(event.data.message)
    messages.set(name, { at: messages.get(name)?.at ?? event.at, ...event.data, provisional: false })
  }
  return [...messages.values()]
}
