import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { newId } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { errorBody } from './errors.js'
import { checkOrigin, type OwnAddresses } from './gate/origins.js'
import { securityHeaders } from './gate/security-headers.js'
import type { ServerParts } from './parts.js'
import { perform, timeFormOf } from './perform.js'
import type { Route } from './route.js'
import { ROUTES } from './routes/index.js'
import type { StaticFiles } from './static-files.js'
import { toJson } from './wire/index.js'

/** The listener that a request arrived on. */
export type Listener = { kind: 'socket' } | { kind: 'tcp'; own: OwnAddresses; isSecure: boolean; files: StaticFiles }

const URL_MAX = 4096

type Env = { Bindings: HttpBindings; Variables: { requestId: string } }

/**
 * The HTTP API, the same on the owner's socket and on TCP. It decides nothing: routes check their
 * input, call the host and answer.
 */
export function createApp(parts: ServerParts, listener: Listener, routes: readonly Route[] = ROUTES): Hono<Env> {
  const app = new Hono<Env>()
  const headers = listener.kind === 'tcp' ? securityHeaders(listener.isSecure) : {}
  const fail = (error: unknown, context: Context<Env>): Response => {
    const requestId = context.get('requestId') ?? newId('req')
    const { status, body, retryAfterS } = errorBody(error, requestId)
    if (status === 401 || status === 403 || status === 429) parts.audit.refused(body.error.code, requestId)
    if (status >= 500) parts.log(`${requestId} ${error instanceof Error ? (error.stack ?? error.message) : error}`)
    const answer = new Response(toJson(body, timeFormOf(context.req.raw)), {
      status,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    })
    if (retryAfterS !== undefined) answer.headers.set('retry-after', String(retryAfterS))
    return answer
  }
  app.onError((error, context) => {
    const answer = fail(error, context)
    for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value)
    return answer
  })
  app.use(async (context, next) => {
    const requestId = newId('req')
    context.set('requestId', requestId)
    checkHeaders(context, listener)
    await next()
    for (const [name, value] of Object.entries(headers)) context.res.headers.set(name, value)
    context.res.headers.set('x-request-id', requestId)
    parts.metrics.count('signalbox_http_requests_total', { status: `${Math.floor(context.res.status / 100)}xx` })
  })
  for (const route of routes) {
    if (route.isSocketOnly && listener.kind !== 'socket') continue
    app.on(route.method, route.path, context =>
      perform(route, {
        parts,
        request: context.req.raw,
        target: context.env?.incoming?.url ?? context.req.path,
        params: context.req.param() as Record<string, string>,
        requestId: context.get('requestId'),
        isSocket: listener.kind === 'socket',
        closed: closeSignal(context),
        hangUp: () => void context.env?.incoming?.socket?.destroy(),
      }),
    )
  }
  app.notFound(async context => {
    const { method, path } = context.req
    if (listener.kind === 'tcp' && (method === 'GET' || method === 'HEAD') && !path.startsWith('/api/'))
      return listener.files.answer(path, context.req.header('if-none-match'), context.req.header('accept-encoding'))
    return fail(
      new SignalboxError('E_UNKNOWN', `unknown operation ${method} ${path.slice(0, 200)}`, {
        next: 'see /api/v1/openapi.json',
      }),
      context,
    )
  })
  return app
}

/** Refuses requests by their headers, before anything is looked up. */
function checkHeaders({ req }: Context, listener: Listener): void {
  const origin = req.header('origin')
  if (listener.kind === 'socket') {
    // A browser cannot open a unix socket, so a request with an Origin was forwarded by another
    // program.
    if (origin !== undefined)
      throw new SignalboxError('E_ORIGIN', 'the socket accepts no requests from web pages', {
        next: 'signalbox serve --link',
      })
    return
  }
  checkOrigin(
    { method: req.method, host: req.header('host'), origin, site: req.header('sec-fetch-site') },
    listener.own,
  )
  if (req.method === 'OPTIONS')
    throw new SignalboxError('E_METHOD', 'cross-origin requests are not allowed', { next: 'use the dashboard itself' })
  if (req.url.length > URL_MAX + 64)
    throw new SignalboxError('E_URL', `the URL is ${req.url.length} bytes long; the limit is ${URL_MAX}`, {
      next: 'request less at once',
    })
}

/** Aborts when the client disconnects. */
function closeSignal(context: Context<Env>): AbortSignal {
  const closed = new AbortController()
  context.env?.outgoing?.once('close', () => closed.abort())
  return closed.signal
}
