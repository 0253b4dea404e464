import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { newId, type Timer } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { RemoteSession } from '../../host/index.js'
import { checkOrigin, type OwnAddresses } from '../admission/origins.js'
import type { LocalPeer } from '../auth/local-peers.js'
import { type Credential, hasRole, OWNER, personName } from '../caller.js'
import { errorBody } from '../errors.js'
import type { ServerParts } from '../parts.js'
import { WORKER_PATH, WorkerSockets } from '../worker-socket.js'
import { INPUT_MAX_BYTES, sendJson, TerminalConnection } from './connection.js'
import { parseViewerMessage, type ViewerHello } from './messages.js'
import { RelayedTerminal } from './relay.js'

/** As the API names the operation: agents do not look into terminals, nor type there. */
const TERMINAL = { id: 'panes.terminal' }
const HELLO_WAIT_MS = 5_000
const PING_MS = 20_000
const PONG_TIMEOUT_MS = 60_000
/** Messages that wait for a terminal to be opened. */
const EARLY_MAX = 32
const PATH = /^\/api\/v1\/panes\/([\w%.:-]{1,80})\/terminal$/

/**
 * Terminal bytes over WebSocket: `GET /api/v1/panes/:id/terminal`. The upgrade is checked like any
 * request. The first message authenticates the client, and nothing is sent before that. `own` is
 * null on the owner's socket. Workers connect here, too (`worker-socket.ts`).
 */
export function serveTerminals(server: Server, parts: ServerParts, own: OwnAddresses | null): void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: INPUT_MAX_BYTES,
    handleProtocols: protocols => (protocols.has('signalbox.terminal.v1') ? 'signalbox.terminal.v1' : false),
  })
  const workers = parts.workers && new WorkerSockets(parts.workers)
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const open = async () => {
      if (workers && request.url === WORKER_PATH) return workers.upgrade(request, socket, head)
      checkUpgrade(request, own)
      const match = PATH.exec(request.url ?? '')
      if (!match) throw new SignalboxError('E_UNKNOWN', `unknown terminal path ${(request.url ?? '').slice(0, 200)}`)
      const bearer = await bearerCredential(request, parts, own)
      const peer = await parts.peers.of(request.socket)
      parts.peers.refuseAgents(peer, TERMINAL, {})
      sockets.handleUpgrade(request, socket, head, webSocket => {
        new TerminalSocket(webSocket, { parts, request, word: decodeURIComponent(match[1]!), own, bearer, peer })
      })
    }
    open().catch(error => refuse(socket, error))
  })
}

/** @throws SignalboxError `E_ORIGIN`, `E_HOST` */
function checkUpgrade({ headers, method }: IncomingMessage, own: OwnAddresses | null): void {
  const { origin, host } = headers
  if (!own) {
    if (origin !== undefined) throw new SignalboxError('E_ORIGIN', 'the socket accepts no requests from web pages')
    return
  }
  const site = headers['sec-fetch-site']
  checkOrigin({ method: method ?? 'GET', host, origin, site: typeof site === 'string' ? site : undefined }, own)
  // A browser always sends an Origin with a WebSocket; a client without one is a script and needs
  // the token.
  if (origin === undefined && headers.authorization === undefined)
    throw new SignalboxError('E_ORIGIN', 'missing Origin header or token')
}

/** Null if the first message must bring a proof. @throws SignalboxError `E_LOGIN` */
async function bearerCredential(
  { headers }: IncomingMessage,
  parts: ServerParts,
  own: OwnAddresses | null,
): Promise<Credential | null> {
  if (!own) return { kind: 'socket', person: OWNER }
  const { authorization } = headers
  if (authorization === undefined) return null
  return parts.auth.bearer(/^Bearer (\S+)$/i.exec(authorization)?.[1] ?? '')
}

function refuse(socket: Duplex, thrown: unknown): void {
  const { status, body } = errorBody(thrown, newId('req'))
  const text = JSON.stringify(body)
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
}

interface TerminalSocketOptions {
  parts: ServerParts
  request: IncomingMessage
  word: string
  own: OwnAddresses | null
  bearer: Credential | null
  peer: LocalPeer | null
}

/**
 * A WebSocket from its upgrade to its end: its first message must be `hello`, then it is a
 * terminal.
 */
class TerminalSocket {
  readonly #socket: WebSocket
  readonly #options: TerminalSocketOptions
  readonly #id = newId('sub')
  #connection: Pick<TerminalConnection, 'receive' | 'input' | 'close'> | null = null
  readonly #early: (() => void)[] = []
  /** Its hello has arrived. */
  #isOpening = false
  #timer: Timer
  #heardAt: number

  constructor(socket: WebSocket, options: TerminalSocketOptions) {
    this.#socket = socket
    this.#options = options
    const { clock, streams } = options.parts
    this.#heardAt = clock.monotonic()
    this.#timer = clock.setTimer(HELLO_WAIT_MS, () => socket.close(4000, 'no hello'))
    socket.on('message', (data, isBinary) => this.#message(data, isBinary))
    socket.on('pong', () => {
      this.#heardAt = clock.monotonic()
    })
    socket.on('error', () => socket.close())
    socket.on('close', () => {
      this.#timer.cancel()
      this.#connection?.close()
      streams.remove(this.#id)
    })
  }

  #message(data: RawData, isBinary: boolean): void {
    this.#heardAt = this.#options.parts.clock.monotonic()
    if (isBinary) {
      if (!this.#isOpening) this.#socket.close(4001, 'the first message must be hello')
      else this.#whenOpen(() => this.#connection?.input(toBytes(data)))
      return
    }
    const message = parseViewerMessage(data.toString())
    if (!message || (message.type === 'hello') === this.#isOpening) {
      this.#socket.close(4001, 'bad message')
    } else if (message.type === 'hello') {
      this.#isOpening = true
      this.#timer.cancel()
      void this.#open(message).catch(error => this.#fail(error))
    } else this.#whenOpen(() => this.#connection?.receive(message))
  }

  /** What a client sends while its terminal is being opened waits for it. */
  #whenOpen(work: () => void): void {
    if (this.#connection) work()
    else if (this.#early.length < EARLY_MAX) this.#early.push(work)
  }

  async #open(hello: ViewerHello): Promise<void> {
    const { parts, word, own } = this.#options
    const { host, settings, streams } = parts
    const who = await this.#credential(hello)
    const person = who.person ?? OWNER
    const record = await host.find(word, personName(person.id))
    const local = await host.whenTerminal(record.id)
    const session = local ?? (await host.remote.whenLive(record.id))
    if (!session || session.exit) {
      sendJson(this.#socket, { type: 'exit', code: record.exit?.code ?? null, signal: record.exit?.signal ?? null })
      return this.#socket.close()
    }
    if (session.viewers >= settings.maxViewers)
      throw new SignalboxError(
        'E_LIMIT',
        `too many terminals are attached to this session; the limit is ${settings.maxViewers}`,
        {
          next: 'detach one, or read the screen: signalbox read <id> --screen',
        },
      )
    const mayType = !own || (hasRole(person.role, 'approver') && !settings.isReadOnly)
    if (hello.want === 'input' && !mayType)
      throw new SignalboxError(
        settings.isReadOnly ? 'E_READ_ONLY' : 'E_ROLE',
        settings.isReadOnly ? 'the server is read-only' : 'this login cannot type',
        {
          next: 'connect with want: "view"',
        },
      )
    const unproven = await parts.peers.needsProof(this.#options.peer, TERMINAL, who)
    if (hello.want === 'input' && unproven !== null)
      throw new SignalboxError(
        'E_STEP_UP',
        `only a person may type, and the caller is not proven to be one: ${unproven}`,
        {
          next: 'attach from a terminal of your own, or connect with want: "view"',
        },
      )
    if (this.#socket.readyState !== this.#socket.OPEN) return
    const end = (reason: string) => this.#socket.close(4003, reason)
    streams.add(this.#id, { kind: 'terminal', who, watched: null, end })
    const name = own ? person.name : (hello.name ?? 'a terminal')
    const options = { name, mayType, hasScrollback: own !== null }
    const { maxViewers } = settings
    this.#connection =
      session instanceof RemoteSession
        ? await RelayedTerminal.open(this.#socket, session, { ...options, hello, maxViewers })
        : new TerminalConnection(this.#socket, session, hello, options)
    for (const work of this.#early.splice(0)) work()
    this.#beat()
  }

  /** @throws SignalboxError `E_LOGIN`, `E_PROOF` */
  async #credential(hello: ViewerHello): Promise<Credential> {
    const { parts, request, bearer } = this.#options
    if (bearer) return bearer
    if (hello.proof === undefined) throw new SignalboxError('E_LOGIN', 'a terminal needs a login')
    return parts.auth.proof(hello.proof, {
      method: 'GET',
      target: request.url ?? '',
      host: request.headers.host ?? '',
      body: new Uint8Array(),
    })
  }

  #beat(): void {
    const { clock } = this.#options.parts
    this.#timer = clock.setTimer(PING_MS, () => {
      if (clock.monotonic() - this.#heardAt > PONG_TIMEOUT_MS) return this.#socket.terminate()
      this.#socket.ping()
      this.#beat()
    })
  }

  #fail(error: unknown): void {
    sendJson(this.#socket, { type: 'error', ...errorBody(error, newId('req')).body })
    this.#socket.close(4002, 'refused')
  }
}

function toBytes(data: RawData): Uint8Array {
  if (data instanceof Uint8Array) return data
  return Array.isArray(data) ? Buffer.concat(data) : new Uint8Array(data)
}
