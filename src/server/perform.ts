import type { z } from 'zod'
import { SignalboxError } from '../errors/index.js'
import { authenticate } from './authenticate.js'
import { BODY_MAX, parseJsonBody } from './body.js'
import { type Credential, hasRole, type Person, surfaceOf } from './credential.js'
import { cursorOf } from './live/cursor.js'
import type { ServerParts } from './parts.js'
import type { Call, Route } from './route.js'
import { type TimeForm, toJson } from './wire/index.js'

export interface IncomingRequest {
  parts: ServerParts
  request: Request
  /** Path and query exactly as they were sent. */
  target: string
  params: Record<string, string>
  requestId: string
  isSocket: boolean
  closed: AbortSignal
  hangUp(): void
}

/**
 * Handles one request, from its credential to its answer. Throws the first problem that it finds.
 */
export async function perform(route: Route, incoming: IncomingRequest): Promise<Response> {
  const { parts, request, isSocket } = incoming
  const maxBytes = route.form ? route.form(parts, isSocket) : BODY_MAX
  const { credential, bytes } = await authenticate(request, route, {
    parts,
    target: incoming.target,
    isSocket,
    maxBytes,
  })
  admit(route, credential, parts)
  const form = timeFormOf(request)
  const call: Call = {
    parts,
    host: parts.host,
    who: credential,
    person: credential.person ?? ANONYMOUS,
    surface: surfaceOf(credential),
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
    position: async () => cursorOf(parts.host.store.id, await parts.host.store.head()),
  }
  const key = request.headers.get('idempotency-key')
  // Decisions keep their keys in the ledger. Logins and tokens are sent once and never stored.
  const isKept = route.method === 'POST' && route.isWrite && route.id !== 'approvals.decide' && !isSecret(route)
  if (key === null || !isKept) return route.handle(call)
  const name = `${keyOf(credential)} ${incoming.target} ${key.slice(0, 200)}`
  return parts.idempotency.once(name, bytes, async () => route.handle(call))
}

export function timeFormOf({ headers }: Request): TimeForm {
  return headers.get('x-signalbox-time') === 'ms' ? 'ms' : 'rfc3339'
}

function isSecret({ id, access }: Route): boolean {
  return access === 'open' || id.startsWith('auth.') || id.startsWith('pairing.')
}

const ANONYMOUS: Person = { id: 'anonymous', name: 'anonymous', role: 'viewer' }

/** Checks role, read-only mode, step-up and rate limits. The owner's socket has no limits. */
function admit(route: Route, credential: Credential, parts: ServerParts): void {
  const { limits } = parts
  if (credential.kind === 'socket') return
  if (credential.kind !== 'hook') limits.requests.take(keyOf(credential))
  const { access } = route
  if (access !== 'open' && access !== 'hook' && !(credential.person && hasRole(credential.person.role, access)))
    throw new SignalboxError('E_ROLE', `this operation needs the role "${access}"`, { next: 'ask the owner' })
  if (route.isWrite && parts.settings.isReadOnly)
    throw new SignalboxError('E_READ_ONLY', 'the server is read-only', { next: 'start it without --read-only' })
  if (route.needsStepUp && parts.auth.confirmedAt(credential) === undefined)
    throw new SignalboxError('E_STEP_UP', 'this operation needs a second confirmation', {
      next: 'POST /api/v1/auth/step-up, then try again',
    })
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
