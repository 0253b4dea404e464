import { Hono } from 'hono'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'

export function paneRoutes(host: Host): Hono {
  const app = new Hono()

  app.get('/panes/:id/explain', async context => {
    const record = await host.find(context.req.param('id'))
    const asked = context.req.query('at')
    const at = asked === undefined ? null : Number(asked)
    if (at !== null && !(at >= 0))
      throw new SignalboxError('E_INPUT', `"${asked}" is no time`, { next: 'seconds since the session began' })
    return context.json(await host.explain(record, at))
  })

  app.get('/packs/problems', context => context.json({ items: host.packs.problems() }))

  return app
}
