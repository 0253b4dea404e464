import type { Socket } from 'node:net'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { z } from 'zod'
import { requestTitle } from '../approvals/index.js'
import { newId } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { traced } from '../telemetry/index.js'
import { checkOrigin, type OwnAddresses } from './admission/origins.js'
import { agentPerson, type LocalPeer } from './auth/local-peers.js'
import { BODY_MAX, parseJsonBody } from './body.js'
import { authenticate, type CallerIdentity, type Credential, hasRole, surfaceOf } from './caller.js'
import { errorBody } from './errors.js'
import { cursorOf } from './live/event-stream.js'
import type { ServerParts } from './parts.js'
import type { Call, Route } from './route.js'
import { ROUTES } from './routes/index.js'
import type { StaticFiles } from './static-files.js'
import { type TimeForm, toJson } from './wire/index.js'

/** The listener that a request arrived on. */
export type Listener = { kind: 'socket' } | { kind: 'tcp'; own: OwnAddresses; isSecure: boolean; files: StaticFiles }

const URL_MAX = 4096

type Env = { Bindings: HttpBindings; Variables: { requestId: string } }

/** The HTTP API of both listeners. Routes check their input, call the host and answer. */
export function createApp(parts: ServerParts, listener: Listener, routes: readonly Route[] = ROUTES): Hono<Env> {
  const app = new Hono<Env>()
  const headers = listener.kind === 'tcp' ? securityHeaders(listener.isSecure) : {}
  const fail = (error: unknown, context: Context<Env>): Response => {
    const requestId = context.get('requestId') ?? newId('req')
    const { status, body, retryAfterS } = errorBody(error, requestId)
    if (status === 401 || status === 403 || status === 429) parts.audit.refused(body.error.code, requestId)
    if (status === 500) parts.log(`${requestId} ${error instanceof Error ? (error.stack ?? error.message) : error}`)
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
    app.on(route.method, route.path, context => {
      const span = { parent: context.req.header('traceparent'), attributes: { 'signalbox.operation': route.id } }
      const incoming: IncomingRequest = {
        parts,
        routes,
        request: context.req.raw,
        target: context.env?.incoming?.url ?? context.req.path,
        params: context.req.param() as Record<string, string>,
        requestId: context.get('requestId'),
        isSocket: listener.kind === 'socket',
        socket: context.env?.incoming?.socket,
        closed: closeSignal(context),
        hangUp: () => void context.env?.incoming?.socket?.destroy(),
      }
      return traced(`${route.method} ${route.path}`, span, () => perform(route, incoming))
    })
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

interface IncomingRequest {
  parts: ServerParts
  routes: readonly Route[]
  request: Request
  /** Path and query exactly as they were sent. */
  target: string
  params: Record<string, string>
  requestId: string
  isSocket: boolean
  socket: Socket | undefined
  closed: AbortSignal
  hangUp(): void
}

/**
 * Handles one request, from its credential to its answer. Throws the first problem that it finds.
 */
async function perform(route: Route, incoming: IncomingRequest): Promise<Response> {
  const { parts, request, isSocket } = incoming
  const peer = await parts.peers.of(incoming.socket)
  await refuseAgents(route, incoming, peer)
  const maxBytes = route.form ? route.form(parts, isSocket) : BODY_MAX
  const { credential, bytes } = await authenticate(request, route, {
    parts,
    target: incoming.target,
    isSocket,
    maxBytes,
  })
  const caller = { credential, peer }
  await admitCaller(route, caller, incoming)
  refuseWhileBusy(route, parts)
  const call = callOf(route, caller, bytes, incoming)
  const key = request.headers.get('idempotency-key')
  // Decisions keep their keys in the ledger. Logins and tokens are sent once and never stored.
  const isKept = route.method === 'POST' && route.isWrite && route.id !== 'approvals.decide' && !isSecret(route)
  if (key === null || !isKept) return route.handle(call)
  const name = `${keyOf(credential)} ${incoming.target} ${key.slice(0, 200)}`
  return parts.idempotency.performOnce(name, bytes, async () => route.handle(call))
}

/** More writes than this wait for the database: further ones are refused before they begin. */
const WAITING_MAX = 2_000

/** @throws SignalboxError `E_STORE_BUSY`; decisions are refused by the store itself, much later. */
function refuseWhileBusy(route: Route, { host }: ServerParts): void {
  const waiting = host.store.load?.waiting ?? 0
  if (waiting <= WAITING_MAX || !route.isWrite || route.id === 'approvals.decide') return
  throw new SignalboxError('E_STORE_BUSY', `${waiting} writes wait for the database; the limit is ${WAITING_MAX}`, {
    next: 'try again in a few seconds',
  })
}

/** Who calls: the credential that was checked, and what the kernel says about the process. */
interface Caller {
  credential: Credential
  peer: LocalPeer | null
}

async function admitCaller(
  route: Route,
  { credential, peer }: Caller,
  { parts, params }: Pick<IncomingRequest, 'parts' | 'params'>,
): Promise<void> {
  admit(route, credential, peer, parts)
  const unproven = await parts.peers.needsProof(peer, route, credential)
  if (unproven === null) return
  const act = [route.id, ...Object.values(params)].join(' ')
  if (parts.auth.confirmedAt(credential, peer, act) !== undefined) return
  parts.peers.refused(peer!, { key: act, text: await actText(route, { parts, params }) })
  throw notProven(unproven)
}

/** What a person confirms, in words: of a decision, what is asked. */
async function actText(
  { id, summary }: Route,
  { parts, params }: Pick<IncomingRequest, 'parts' | 'params'>,
): Promise<string> {
  const record =
    id === 'approvals.decide' && params.id !== undefined
      ? await parts.host.ledger.find(params.id).catch(() => null)
      : null
  return record ? `decide: ${requestTitle(record)}` : [summary, ...Object.values(params)].join(' ')
}

/** The checked request, as an operation sees it. */
function callOf(route: Route, caller: Caller, bytes: Uint8Array, incoming: IncomingRequest): Call {
  const { parts, request, isSocket } = incoming
  const { credential, peer } = caller
  const form = timeFormOf(request)
  return {
    parts,
    host: parts.host,
    who: credential,
    person: agentPerson(peer) ?? credential.person ?? ANONYMOUS,
    surface: surfaceOf(credential),
    peer,
    params: incoming.params,
    query: route.query ? checked(route.query, queryOf(request, route.query), 'query') : {},
    body: route.body ? checked(route.body, bodyOf(route, request, bytes), 'body') : undefined,
    bytes,
    request,
    requestId: incoming.requestId,
    closed: incoming.closed,
    hangUp: incoming.hangUp,
    header: name => request.headers.get(name) ?? undefined,
    form: () => formOf(request, bytes),
    json: (value, status = 200, headers = {}) =>
      new Response(isSocket ? toJson(value, form) : parts.text.json(value, form), {
        status,
        headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
      }),
    dispatch: (method, target, body) => dispatch(caller, incoming, method, target, body),
    position: async () => cursorOf(parts.host.store.id, await parts.host.store.head()),
  }
}

/**
 * Another operation, on behalf of the caller of the first one: role, limits and checks are its own.
 */
async function dispatch(
  caller: Caller,
  incoming: IncomingRequest,
  method: 'GET' | 'POST',
  target: string,
  body: unknown,
): Promise<unknown> {
  const url = new URL(`http://signalbox/api/v1${target}`)
  for (const route of incoming.routes) {
    const params = route.method === method ? paramsOf(route.path, url.pathname) : null
    if (!params || (route.isSocketOnly && !incoming.isSocket)) continue
    const bytes = new TextEncoder().encode(JSON.stringify(body ?? {}))
    const request = new Request(url, { method, headers: { 'content-type': 'application/json' } })
    const inner = { ...incoming, request, target: `${url.pathname}${url.search}`, params }
    await refuseAgents(route, inner, caller.peer)
    await admitCaller(route, caller, inner)
    const answer = await route.handle(callOf(route, caller, bytes, inner))
    return answer.json()
  }
  throw new SignalboxError('E_UNKNOWN', `unknown operation ${method} ${target.slice(0, 200)}`)
}

/** The parameters of a path, if it has the form of the route. */
function paramsOf(pattern: string, path: string): Record<string, string> | null {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  if (wanted.length !== given.length) return null
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index]!
    if (part.startsWith(':')) params[part.slice(1)] = decodeURIComponent(value)
    else if (part !== value) return null
  }
  return params
}

/** An agent that tries to decide is refused, and the request says so afterwards. */
async function refuseAgents(route: Route, { parts, params }: IncomingRequest, peer: LocalPeer | null): Promise<void> {
  try {
    parts.peers.refuseAgents(peer, route, params)
  } catch (error) {
    const { ledger } = parts.host
    const record =
      route.id === 'approvals.decide' && params.id !== undefined ? await ledger.find(params.id).catch(() => null) : null
    if (record && error instanceof SignalboxError) {
      const { id, name } = agentPerson(peer)!
      await ledger.refuse(record.id, { actor: { kind: 'person', id, name, role: 'viewer' }, surface: 'api' }, error)
    }
    throw error
  }
}

function notProven(why: string): SignalboxError {
  return new SignalboxError('E_STEP_UP', `only a person may do this, and the caller is not proven to be one: ${why}`, {
    next: 'use the dashboard (signalbox open in a terminal without tmux), your chat, or a terminal that only you type into; or set a passphrase (server.passphrase_file)',
    details: { unproven: why },
  })
}

function timeFormOf({ headers }: Request): TimeForm {
  return headers.get('x-signalbox-time') === 'ms' ? 'ms' : 'rfc3339'
}

function isSecret({ id, access }: Route): boolean {
  return access === 'open' || id.startsWith('auth.') || id.startsWith('pairing.')
}

const ANONYMOUS: CallerIdentity = { id: 'anonymous', name: 'anonymous', role: 'viewer' }

/** Checks role, read-only mode, step-up and rate limits. The owner's socket has no limits. */
function admit(route: Route, credential: Credential, peer: LocalPeer | null, parts: ServerParts): void {
  const { limits } = parts
  if (credential.kind === 'socket') return
  if (credential.kind !== 'hook') limits.requests.take(keyOf(credential))
  const { access } = route
  if (access !== 'open' && access !== 'hook' && !(credential.person && hasRole(credential.person.role, access)))
    throw new SignalboxError('E_ROLE', `this operation needs the role "${access}"`, { next: 'ask the owner' })
  if (route.isWrite && parts.settings.isReadOnly)
    throw new SignalboxError('E_READ_ONLY', 'the server is read-only', { next: 'start it without --read-only' })
  if (route.needsStepUp === true) parts.auth.requireConfirmed(credential, peer)
  if (route.rate === 'decision') limits.decisions.take(credential.person?.id ?? '')
  if (route.rate === 'session') limits.sessions.take('all')
}

function keyOf(credential: Credential): string {
  return credential.kind === 'device' ? credential.device.id : credential.kind
}

function bodyOf(route: Route, request: Request, bytes: Uint8Array): unknown {
  const type = request.headers.get('content-type') ?? undefined
  if (route.textBody !== null && type?.startsWith(route.textBody)) return new TextDecoder().decode(bytes)
  return parseJsonBody(bytes, type)
}

/** List parameters may be repeated or separated by commas; of others the last one counts. */
function queryOf(request: Request, schema: z.ZodObject): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  const { searchParams } = new URL(request.url)
  for (const name of new Set(searchParams.keys())) {
    const values = searchParams.getAll(name)
    query[name] = isList(schema.shape[name]) ? values.flatMap(value => value.split(',')) : values.at(-1)
  }
  return query
}

function isList(schema: unknown): boolean {
  const { def } = (schema ?? {}) as { def?: { type: string; innerType?: unknown } }
  if (!def) return false
  return def.type === 'array' || (def.innerType !== undefined && isList(def.innerType))
}

/** Checks against a schema. Unknown fields are refused, so that a misspelt one is not ignored. */
function checked(schema: z.ZodType, value: unknown, what: string): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const fields = result.error.issues.map(({ path, message }) => ({ path: path.join('.') || what, message }))
  throw new SignalboxError('E_INPUT', fields.map(({ path, message }) => `${path}: ${message}`).join('; '), {
    next: 'see /api/v1/openapi.json',
    details: { fields },
  })
}

async function formOf(request: Request, bytes: Uint8Array): Promise<FormData> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type))
    throw new SignalboxError(
      'E_TYPE',
      `the content type of an upload must be multipart/form-data, not ${type || 'unset'}`,
      { next: 'send a form with the field "file"' },
    )
  return new Response(bytes as Uint8Array<ArrayBuffer>, { headers: { 'content-type': type } })
    .formData()
    .catch(error => {
      throw new SignalboxError('E_INPUT', 'the body is not valid multipart/form-data', { cause: error })
    })
}

/** Inline styles are allowed because the terminal renderer creates style elements. */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

/** Headers of every answer. No answer has a CORS header. */
function securityHeaders(isSecure: boolean): Readonly<Record<string, string>> {
  return {
    'content-security-policy': CONTENT_POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    ...(isSecure && { 'strict-transport-security': 'max-age=31536000' }),
  }
}
