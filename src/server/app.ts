import { Hono } from 'hono'
import type { Host } from '../host/index.js'
import { errorBody } from './errors.js'
import { approvalRoutes } from './routes/approvals.js'
import { eventRoutes } from './routes/events.js'
import { bearerOf, hookRoutes } from './routes/hooks.js'
import { paneRoutes } from './routes/panes.js'
import { sessionFileRoutes } from './routes/session-files.js'
import { sessionMessageRoutes } from './routes/session-messages.js'
import { sessionRoutes } from './routes/sessions.js'

export interface ServerOptions {
  host: Host
  version: string
  startedAt: number
  /** Ends the daemon in good order. */
  stop(): void
}

/** The HTTP API on the owner's socket. It decides nothing: routes check their input, call the host, and answer. */
export function createApp(options: ServerOptions): Hono {
  const app = new Hono()
  app.onError((error, context) => {
    const { status, body } = errorBody(error)
    return context.json(body, status)
  })
  app.notFound(context =>
    context.json(
      { error: { code: 'E_UNKNOWN', message: `there is no ${context.req.method} ${context.req.path}` } },
      404,
    ),
  )
  app.use(async (context, next) => {
    // A browser cannot open a unix socket; a request that says it comes from one was forwarded by something that should not.
    if (context.req.header('origin') !== undefined) {
      return context.json({ error: { code: 'E_ORIGIN', message: 'the socket takes no requests from web pages' } }, 403)
    }
    return next()
  })
  app.use(async (context, next) => {
    // The socket is the owner's and asks for no token. Whoever shows one is an agent's hook, and a hook token is good for hooks alone.
    if (bearerOf(context) !== null && !context.req.path.startsWith('/api/v1/hooks/')) {
      return context.json(
        { error: { code: 'E_ROLE', message: 'a hook token may report hooks, and nothing else' } },
        403,
      )
    }
    return next()
  })
  app.get('/healthz', context => context.json({ ok: true }))
  app.get('/api/v1/health', async context =>
    context.json({
      pid: process.pid,
      version: options.version,
      startedAt: options.startedAt,
      store: options.host.store.id,
      position: await options.host.store.head(),
    }),
  )
  app.post('/api/v1/shutdown', context => {
    options.stop()
    return context.json({ ok: true })
  })
  app.route('/api/v1', sessionRoutes(options.host))
  app.route('/api/v1', sessionMessageRoutes(options.host))
  app.route('/api/v1', sessionFileRoutes(options.host))
  app.route('/api/v1', approvalRoutes(options.host))
  app.route('/api/v1', eventRoutes(options.host))
  app.route('/api/v1', paneRoutes(options.host))
  app.route('/api/v1', hookRoutes(options.host))
  return app
}
