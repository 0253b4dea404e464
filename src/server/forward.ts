import { SignalboxError } from '../errors/index.js'
import type { SessionRecord } from '../sessions/index.js'
import type { Call } from './route.js'
import { FORWARD_MAX, type ForwardedAnswer } from './worker-api.js'

/** Headers of a worker's answer that a client gets. */
const FORWARDED_HEADERS = ['content-type', 'content-disposition'] as const

/**
 * Lets the worker of a session answer a request about its files; null for a session of this
 * machine. Paths in the record of a session on a worker mean nothing here.
 */
export async function forwarded(call: Call, { id }: SessionRecord): Promise<Response | null> {
  const { host, bytes, request, params } = call
  const record = await host.record(id)
  if (host.isHere(record)) return null
  if (bytes.length > FORWARD_MAX)
    throw new SignalboxError(
      'E_LIMIT',
      `the request is ${bytes.length} bytes long; on a worker the limit is ${FORWARD_MAX}`,
    )
  const { pathname, search } = new URL(request.url)
  // The worker may know its sessions by id only.
  const target = `${pathname.replace(`/${params.id}/`, `/${id}/`)}${search}`
  const answer = (await host.remote.askFor(id, 'session.request', {
    method: request.method,
    target,
    type: request.headers.get('content-type'),
    body: Buffer.from(bytes).toString('base64'),
  })) as ForwardedAnswer
  const body = Buffer.from(answer.body, 'base64')
  if (answer.headers['content-type']?.startsWith('application/json')) {
    const value = JSON.parse(body.toString()) as never
    return call.json(value, answer.status)
  }
  const headers = Object.fromEntries(
    FORWARDED_HEADERS.flatMap(name => (answer.headers[name] ? [[name, answer.headers[name]]] : [])),
  )
  return new Response(body, { status: answer.status, headers })
}
