import { type IncomingMessage, request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { homedir } from 'node:os'
import { delay, systemClock } from '../clock/index.js'
import { resolveDirectories, socketPath } from '../config/directories/index.js'
import { EventStreamParser } from '../text/index.js'
import { OPERATIONS, type Operations } from './operations.js'

/**
 * Where the API is: the owner's socket of this machine by default, or an address with its token.
 */
export interface ConnectOptions {
  /** Address of the server, such as `http://127.0.0.1:4000`; needs `token`. */
  url?: string
  /** By default SIGNALBOX_TOKEN. */
  token?: string
  /** Path of the daemon's socket; `signalbox paths` prints it. */
  socket?: string
}

/** An event of the log. */
export interface LogEvent {
  /** Cursor: pass it as `since` to continue after this event. Empty for ephemeral updates. */
  id: string
  type: string
  at: string
  subject: string
  version: number
  data: Record<string, unknown>
}

type OperationName = keyof Operations
type Arguments<Name extends OperationName> =
  Record<string, never> extends Operations[Name]['input']
    ? [input?: Operations[Name]['input']]
    : [input: Operations[Name]['input']]

export interface Client {
  /**
   * Calls an operation. Parameters of path, query and body are one object. @throws
   * SignalboxApiError
   */
  call<Name extends OperationName>(name: Name, ...input: Arguments<Name>): Promise<Operations[Name]['output']>
  /**
   * Events as they happen: of everything, of one session (`session:ses_…`) or run (`run:run_…`).
   * With `since`, also those that were missed. After a lost connection it continues where it was.
   */
  events(options?: EventOptions): AsyncGenerator<LogEvent>
}

interface EventOptions {
  scope?: string
  types?: readonly string[]
  since?: string
  signal?: AbortSignal
}

/** The API refused a call: `code` is stable, `next` says what to do. */
export class SignalboxApiError extends Error {
  readonly code: string
  readonly next: string | undefined
  readonly status: number

  constructor(status: number, { code, message, next }: { code: string; message: string; next?: string }) {
    super(message)
    this.name = 'SignalboxApiError'
    this.code = code
    this.next = next
    this.status = status
  }
}

/** A typed client of the API. It connects with the first call. */
export function connect(options: ConnectOptions = {}): Client {
  const address = addressOf(options)
  return {
    call: async (name, ...[input]) => {
      const [method, pattern] = OPERATIONS[name]
      const rest = { ...(input as Record<string, unknown> | undefined) }
      const path = pattern.replace(/\{(\w+)\}/g, (_, key: string) => {
        const value = rest[key]
        delete rest[key]
        return encodeURIComponent(String(value))
      })
      const isRead = method === 'GET' || method === 'DELETE'
      const answer = await send(address, method, isRead ? withQuery(path, rest) : path, isRead ? undefined : rest)
      return readJson(answer) as never
    },
    events: (wanted = {}) => events(address, wanted),
  }
}

interface ServerAddress {
  url: URL | null
  socket: string | null
  headers: Record<string, string>
}

function addressOf({ url, token = process.env.SIGNALBOX_TOKEN, socket }: ConnectOptions): ServerAddress {
  if (url !== undefined) {
    if (token === undefined) throw new TypeError('connect({ url }) needs a token; it is in the file <state>/token')
    return { url: new URL(url), socket: null, headers: { authorization: `Bearer ${token}` } }
  }
  return {
    url: null,
    socket: socket ?? socketPath(resolveDirectories(process.env, homedir()), 'signalbox.sock'),
    headers: { host: 'signalbox' },
  }
}

function withQuery(path: string, query: Readonly<Record<string, unknown>>): string {
  const words = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().flatMap(one => (one === undefined ? [] : [`${name}=${encodeURIComponent(String(one))}`])),
  )
  return words.length === 0 ? path : `${path}?${words.join('&')}`
}

function send(
  { url, socket, headers }: ServerAddress,
  method: string,
  path: string,
  body: unknown,
  more: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const target = { method, path: `/api/v1${path}`, ...(more.signal && { signal: more.signal }) }
    const all = {
      ...headers,
      ...more.headers,
      ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    }
    const open = url?.protocol === 'https:' ? secureRequest : request
    const address = url ? { hostname: url.hostname, port: url.port } : { socketPath: socket! }
    const sending = open({ ...address, ...target, headers: all }, resolve)
    sending.on('error', reject)
    sending.end(text)
  })
}

async function readJson(answer: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += String(chunk)
  const value = text === '' ? null : (JSON.parse(text) as unknown)
  const status = answer.statusCode ?? 500
  if (status < 400) return value
  const { error } = (value ?? {}) as { error?: { code: string; message: string; next?: string } }
  throw new SignalboxApiError(status, error ?? { code: 'E_HTTP', message: `HTTP ${status}` })
}

const RECONNECT_MS = 250

async function* events(
  address: ServerAddress,
  { scope, types, since, signal }: EventOptions,
): AsyncGenerator<LogEvent> {
  let cursor = since
  for (;;) {
    const path = withQuery('/events', { scope, types: types?.join(','), since: cursor })
    try {
      const stream = await send(address, 'GET', path, undefined, {
        headers: { accept: 'text/event-stream' },
        ...(signal && { signal }),
      })
      if ((stream.statusCode ?? 500) >= 400) await readJson(stream)
      for await (const { id, event, data } of frames(stream)) {
        if (id !== '') cursor = id
        if (event === 'heartbeat' || event === 'hello' || event === 'bye') {
          // The position of the greeting is where a stream without a cursor begins.
          cursor ??= (data as { position?: string }).position
          continue
        }
        yield { ...(data as LogEvent), id }
      }
    } catch (error) {
      if (signal?.aborted) return
      if (cursor === undefined || error instanceof SignalboxApiError) throw error
    }
    if (signal?.aborted) return
    // A server that is being restarted is not there for a moment.
    await delay(systemClock, RECONNECT_MS)
  }
}

async function* frames(stream: IncomingMessage): AsyncGenerator<{ id: string; event: string; data: unknown }> {
  const parser = new EventStreamParser()
  for await (const chunk of stream.setEncoding('utf8'))
    for (const { id, event, data } of parser.push(String(chunk)))
      yield { id: id ?? '', event, data: JSON.parse(data || 'null') }
}
