import { Hono } from 'hono'
import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'
import { readBody } from '../body.js'
import { actorBody, insideSession, personOf } from './approvals-person.js'

const switchBody = z.strictObject({ actor: actorBody, surface: z.enum(['cli', 'api']).default('cli'), insideSession })

export function grantRoutes(host: Host): Hono {
  const app = new Hono()
  const { grants } = host.ledger

  app.get('/grants', async context => {
    const items = await grants.list({ all: context.req.query('all') !== undefined })
    const { isPaused, by } = await grants.switch()
    return context.json({ items, isPaused, ...(isPaused && { pausedBy: by }), now: host.clock.now() })
  })

  app.post('/grants/:id/revoke', async context => {
    const { actor } = await readBody(context, switchBody)
    const grant = await grants.find(context.req.param('id'))
    // Taking a permission back is allowed to everybody who may decide, from anywhere: it only makes things narrower.
    await grants.end(grant, 'revoked', personOf(actor))
    return context.json(await grants.find(grant.id))
  })

  app.post('/grants/pause', async context => {
    const { actor, surface } = await readBody(context, switchBody)
    return context.json(await grants.pause(personOf(actor), surface))
  })

  app.post('/grants/resume', async context => {
    const { actor, surface, insideSession: inside } = await readBody(context, switchBody)
    if (inside !== undefined)
      throw new SignalboxError('E_ROLE', 'an agent cannot resume grants: this shell belongs to a session', {
        next: 'resume them from a terminal of your own',
      })
    return context.json(await grants.resume(personOf(actor), surface))
  })

  return app
}
