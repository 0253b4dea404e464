import { Hono } from 'hono'
import { z } from 'zod'
import type { Host } from '../../host/index.js'
import { readBody } from '../body.js'

const decisionBody = z.strictObject({
  fingerprint: z.string().min(12),
  option: z.string(),
  text: z.string().optional(),
  note: z.string().optional(),
  seen: z.strictObject({ displayHash: z.string(), whole: z.boolean() }),
  idempotencyKey: z.string(),
  actor: z.strictObject({ id: z.string(), name: z.string() }),
  waitMs: z.int().min(0).max(30_000).default(0),
})

export function approvalRoutes(host: Host): Hono {
  const app = new Hono()

  app.get('/approvals', async context => {
    const items = await host.ledger.list({ isOpenOnly: context.req.query('all') === undefined })
    return context.json({ items, position: await host.store.head() })
  })

  app.get('/approvals/:id', async context => context.json(await host.ledger.find(context.req.param('id'))))

  app.post('/approvals/:id/decision', async context => {
    const { waitMs, actor, note, text, ...body } = await readBody(context, decisionBody)
    const { id } = await host.ledger.find(context.req.param('id'))
    await host.ledger.decide(id, {
      ...body,
      ...(note !== undefined && { note }),
      ...(text !== undefined && { text }),
      actor: { kind: 'person', id: actor.id, name: actor.name, role: 'owner' },
      surface: 'cli',
    })
    const deadline = host.clock.monotonic() + waitMs
    let record = await host.ledger.find(id)
    while (record.state === 'decided' && host.clock.monotonic() < deadline) {
      const session = record.subject.session ? host.live(record.subject.session) : null
      await (session?.changed(100) ?? Promise.resolve())
      record = await host.ledger.find(id)
    }
    return context.json(record)
  })

  return app
}
