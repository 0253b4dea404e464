import { Hono } from 'hono'
import { z } from 'zod'
import { delay } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'
import { type LiveSession, liveMenu, type SessionRecord } from '../../sessions/index.js'
import { readBody } from '../body.js'
import { stopSession } from '../stop-session.js'

const startBody = z.strictObject({
  agent: z.string().nullable(),
  args: z.array(z.string()).default([]),
  cwd: z.string(),
  env: z.record(z.string(), z.string()).nullable().default(null),
  size: z.strictObject({ cols: z.int(), rows: z.int() }).nullable().default(null),
  label: z.string().max(200).nullable().default(null),
  resume: z.string().nullable().default(null),
})
const messageBody = z.strictObject({ text: z.string() })
const keysBody = z.strictObject({ text: z.string().max(65_536) })

const WAIT_MAX_MS = 300_000

export function sessionRoutes(host: Host): Hono {
  const app = new Hono()

  app.get('/sessions', async context => {
    const position = await host.store.head()
    const items = await Promise.all((await host.records()).map(record => describe(host, record)))
    return context.json({ items, position })
  })

  app.post('/sessions', async context => {
    const body = await readBody(context, startBody)
    const record = await host.startSession({ ...body, terminal: body.env, person: 'local' })
    return context.json(await describe(host, record), 201)
  })

  app.get('/sessions/:id', async context =>
    context.json(await describe(host, await host.find(context.req.param('id')))),
  )

  app.post('/sessions/:id/messages', async context => {
    const { text } = await readBody(context, messageBody)
    const session = await liveOf(host, context.req.param('id'))
    const result = await session.send(text)
    return context.json({ ...result, position: await host.store.head() }, 202)
  })

  app.post('/sessions/:id/keys', async context => {
    const { text } = await readBody(context, keysBody)
    const session = await liveOf(host, context.req.param('id'))
    return context.json({ ok: await session.type(new TextEncoder().encode(text)) })
  })

  app.post('/sessions/:id/stop', async context => {
    const record = await host.find(context.req.param('id'))
    const session = host.live(record.id)
    if (session && !session.exit) await stopSession(session, host)
    return context.json(await describe(host, await host.record(record.id)))
  })

  app.get('/sessions/:id/wait', async context => {
    const what = context.req.query('for') ?? 'idle'
    if (!['idle', 'approval', 'done'].includes(what))
      throw new SignalboxError('E_INPUT', `cannot wait for "${what}"`, { next: 'idle, approval or done' })
    const timeout = Math.min(Number(context.req.query('timeoutMs') ?? WAIT_MAX_MS), WAIT_MAX_MS)
    const record = await host.find(context.req.param('id'))
    const state = await waitFor(host, record, what, timeout)
    return context.json({ reached: state, session: await describe(host, await host.record(record.id)) })
  })

  app.get('/sessions/:id/conversation', async context => {
    const record = await host.find(context.req.param('id'))
    const events = await host.store.readStream(`session/${record.id}`)
    const messages: Record<string, unknown>[] = events
      .filter(event => event.type === 'message.final')
      .map(event => ({ at: event.at, ...event.data, provisional: false }))
    const session = host.live(record.id)
    const open = session?.openMessage
    if (session && open && session.blocks.length > 0)
      messages.push({ at: host.clock.now(), ...open, blocks: session.blocks, provisional: true })
    return context.json({ session: record.id, messages, position: await host.store.head() })
  })

  app.get('/sessions/:id/screen', async context => {
    const session = await liveOf(host, context.req.param('id'))
    await session.settled()
    const { frame } = session
    return context.json({
      cols: frame?.cols ?? 0,
      rows: frame?.rows ?? 0,
      lines: frame?.lines.map(row => row.text) ?? [],
      cursor: frame?.cursor ?? null,
    })
  })

  return app
}

/** A session's record with what is known of it now. */
async function describe(host: Host, record: SessionRecord) {
  const session = host.live(record.id)
  const observation = session?.observation
  const menu = liveMenu(observation ?? null)
  return {
    ...record,
    ...(session && {
      phase: session.phase,
      view: observation?.view ?? 'unknown',
      busy: observation?.busy ?? null,
      awaiting: observation?.awaiting ?? null,
      rule: observation?.rule ?? 'none',
      idle: session.isIdle,
      ...(menu && { question: menu.question }),
      ...(session.approval && { approval: session.approval.id }),
      offset: session.offset,
    }),
  }
}

async function liveOf(host: Host, word: string): Promise<LiveSession> {
  const record = await host.find(word)
  const session = host.live(record.id)
  if (session && !session.exit) return session
  const what = record.state === 'lost' ? `is lost: ${record.endReason ?? 'nobody saw how it ended'}` : 'has ended'
  throw new SignalboxError('E_STATE', `session ${record.id} ${what}`, { next: 'start another one' })
}

async function waitFor(host: Host, record: SessionRecord, what: string, timeoutMs: number): Promise<string> {
  const deadline = host.clock.monotonic() + timeoutMs
  for (;;) {
    const session = host.live(record.id)
    if (!session || session.exit) return 'done'
    if (what === 'idle' && session.isIdle) return 'idle'
    if (session.approval?.state === 'pending' && what !== 'done') return 'approval'
    const left = deadline - host.clock.monotonic()
    if (left <= 0) return 'timeout'
    await session.changed(Math.min(left, 1000))
    await delay(host.clock, 0)
  }
}
