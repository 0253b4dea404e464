import { Hono } from 'hono'
import { z } from 'zod'
import { delay } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'
import { type Holder, liveMenu, type SessionRecord } from '../../sessions/index.js'
import { readBody } from '../body.js'
import { liveOf } from '../live-session-of.js'

const size = z.strictObject({ cols: z.int(), rows: z.int() }).nullable().default(null)
const env = z.record(z.string(), z.string()).nullable().default(null)
const startBody = z.strictObject({
  agent: z.string().nullable(),
  args: z.array(z.string()).default([]),
  cwd: z.string(),
  env,
  size,
  label: z.string().max(200).nullable().default(null),
  resume: z.string().nullable().default(null),
})
const resumeBody = z.strictObject({ env, size })
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

  app.post('/sessions/:id/keys', async context => {
    const { text } = await readBody(context, keysBody)
    const session = await liveOf(host, context.req.param('id'))
    if (!(await session.type(new TextEncoder().encode(text)))) throw keyboardTaken(session.holder)
    return context.json({ ok: true })
  })

  app.post('/sessions/:id/stop', async context => {
    const record = await host.find(context.req.param('id'))
    const session = host.live(record.id)
    if (session && !session.exit) await session.stop()
    return context.json(await describe(host, await host.record(record.id)))
  })

  app.post('/sessions/:id/interrupt', async context => {
    const session = await liveOf(host, context.req.param('id'))
    const result = await session.interrupt()
    await session.settled()
    return context.json({ session: session.id, ...result })
  })

  app.post('/sessions/:id/resume', async context => {
    const body = await readBody(context, resumeBody)
    const record = await host.find(context.req.param('id'))
    const resumed = await host.resumeSession(record, { terminal: body.env, size: body.size, person: 'local' })
    return context.json(await describe(host, resumed), 201)
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
      holder: session.holder,
      held: session.heldPrompts.length,
      ...(menu && { question: menu.question }),
      ...(session.approval && { approval: session.approval.id }),
      offset: session.offset,
    }),
  }
}

function keyboardTaken(holder: Holder): SignalboxError {
  const who = holder.kind === 'person' ? holder.name : 'Signalbox, which is typing,'
  return new SignalboxError('E_BUSY', `${who} holds the keyboard of this session`, { next: 'try again later' })
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
