import { createHash, type KeyObject } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import WebSocket from 'ws'
import type { Clock, Timer } from '../clock/index.js'
import { PendingCalls } from './calls.js'
import {
  HEARTBEAT_MS,
  MESSAGE_MAX_BYTES,
  packChannel,
  parseServerMessage,
  type ServerMessage,
  SUBPROTOCOL,
  unpackChannel,
  type WorkerMessage,
} from './protocol.js'
import { proveWorker } from './worker-proof.js'

const RETRY_MIN_MS = 200
const RETRY_MAX_MS = 5_000
/**
 * A server that answers no heartbeat for this long counts as unreachable, even if the connection is
 * still open.
 */
const SILENT_MS = 3 * HEARTBEAT_MS

export interface LinkOptions {
  /** `https://host:4100` */
  server: string
  /** The SHA-256 of the server's public key, for a certificate that no authority signed. */
  pin: string | null
  clock: Clock
  random(): number
}

export interface WorkerIdentity {
  worker: string
  key: KeyObject
}

/** What a worker says of itself with every beat. */
export interface Load {
  /** Steps that it performs now. */
  steps: number
  /** It has too little free disk space for further work. */
  isFull: boolean
}

/** What a worker says of itself with every connection. */
type Greeting = Omit<Extract<WorkerMessage, { type: 'hello' }>, 'type' | 'worker' | 'signature'>

export interface LinkListener {
  greeting(): Greeting
  welcome(message: Extract<ServerMessage, { type: 'welcome' }>): void
  message(message: ServerMessage): void
  /** Bytes that a viewer typed into a terminal. */
  bytes(channel: number, bytes: Uint8Array): void
  /** The server has renewed the lease of this worker by a message that was sent at this time. */
  reached(sentAt: number): void
  /** The connection has ended, or could not be made; another attempt follows. */
  away(reason: string): void
}

/**
 * Connects once and waits for the first messages. Used to join.
 * @param needsAuthority an authority must have signed the certificate; by default only if no pin
 * is given.
 */
export function openSocket({
  server,
  pin,
  needsAuthority = pin === null,
}: Pick<LinkOptions, 'server' | 'pin'> & { needsAuthority?: boolean }): {
  socket: WebSocket
  /** The exporter value of the TLS channel; empty without TLS. */
  proof(): string
  /** The SHA-256 of the server's public key; null without TLS, and before the connection. */
  key(): string | null
} {
  const url = new URL('/api/v1/worker', server)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  const socket = new WebSocket(url, SUBPROTOCOL, { maxPayload: MESSAGE_MAX_BYTES, rejectUnauthorized: needsAuthority })
  let channel: TLSSocket | null = null
  let key: string | null = null
  socket.on('upgrade', response => {
    const tls = response.socket as Partial<TLSSocket>
    if (tls.encrypted !== true) return
    channel = tls as TLSSocket
    key = pinOf(channel)
    if (pin !== null && key !== pin) socket.terminate()
  })
  return { socket, proof: () => (channel ? channelProof(channel) : ''), key: () => key }
}

/** A pin as people compare it. */
export function showPin(pin: string): string {
  return `SHA256:${pin}`
}

export function channelProof(socket: TLSSocket): string {
  return socket.exportKeyingMaterial(32, 'EXPORTER-signalbox-worker-v1', Buffer.alloc(0)).toString('base64')
}

function pinOf(socket: TLSSocket): string | null {
  const key = socket.getPeerX509Certificate()?.publicKey.export({ format: 'der', type: 'spki' })
  return key ? createHash('sha256').update(key).digest('base64url') : null
}

/** A worker's connection to a server: proves its key, connects again after every break. */
export class ServerLink {
  readonly #options: LinkOptions
  readonly #identity: WorkerIdentity
  readonly #listener: LinkListener
  readonly #calls = new PendingCalls()
  #heardAt = 0
  #greetedAt = 0
  /** The server says which heartbeats renewed the lease; one of an earlier version does not. */
  #renews = false
  #socket: WebSocket | null = null
  #isWelcome = false
  #failures = 0
  #retry: Timer | null = null
  #isClosed = false

  constructor(options: LinkOptions, identity: WorkerIdentity, listener: LinkListener) {
    this.#options = options
    this.#identity = identity
    this.#listener = listener
  }

  start(): void {
    if (this.#isClosed) return
    const { socket, proof } = openSocket(this.#options)
    this.#socket = socket
    let reason = 'no answer'
    this.#heardAt = this.#options.clock.monotonic()
    socket.on('message', (data, isBinary) => {
      this.#heardAt = this.#options.clock.monotonic()
      if (isBinary) return this.#bytes(data as Buffer)
      const message = parseServerMessage(String(data))
      if (message?.type === 'refused') reason = `${message.code}: ${message.message}`
      if (message) this.#receive(message, proof)
    })
    socket.on('error', error => {
      reason = error.message
    })
    socket.on('close', (_, text) => {
      this.#isWelcome = false
      if (this.#isClosed) return
      this.#listener.away(text.length > 0 ? String(text) : reason)
      this.#retryLater()
    })
  }

  close(): void {
    this.#isClosed = true
    this.#retry?.cancel()
    this.#socket?.close()
  }

  /** Nothing is sent while no server is connected. */
  send(message: WorkerMessage, onSent?: () => void): void {
    if (this.#isWelcome && this.#socket?.readyState === WebSocket.OPEN)
      this.#socket.send(JSON.stringify(message), () => onSent?.())
  }

  /** The bytes of a terminal for a viewer. */
  sendBytes(channel: number, bytes: Uint8Array, onSent?: () => void): void {
    if (this.#isWelcome && this.#socket?.readyState === WebSocket.OPEN)
      this.#socket.send(packChannel(channel, bytes), { binary: true }, () => onSent?.())
  }

  /** Bytes that wait for the network. */
  get unsent(): number {
    return this.#socket?.bufferedAmount ?? 0
  }

  /**
   * Reports to the server that this worker is alive, and notices a server that has stopped
   * answering.
   */
  heartbeat({ steps, isFull }: Load): void {
    const { user, system } = process.cpuUsage()
    const used = { memory: process.memoryUsage.rss(), cpuS: (user + system) / 1e6 }
    const sent = this.#options.clock.monotonic()
    this.send({ type: 'beat', steps, isFull, ...used, clock: this.#options.clock.now(), sent })
    if (sent - this.#heardAt > SILENT_MS) this.#socket?.terminate()
  }

  /**
   * Calls survive a break: they are sent again to the next server.
   * @param isAgain another server may have performed it.
   */
  call(
    method: string,
    params: Record<string, unknown>,
    { signal, isAgain = false }: { signal?: AbortSignal | undefined; isAgain?: boolean } = {},
  ): Promise<unknown> {
    const { id, answer } = this.#calls.add(method, params)
    const cancel = () => {
      if (this.#calls.drop(id, signal?.reason)) this.send({ type: 'cancel', id })
    }
    signal?.addEventListener('abort', cancel, { once: true })
    this.send({ type: 'call', id, method, params, ...(isAgain && { again: true as const }) })
    return answer
  }

  #bytes(data: Uint8Array): void {
    const unpacked = unpackChannel(data)
    if (unpacked) this.#listener.bytes(unpacked.channel, unpacked.bytes)
  }

  #receive(message: ServerMessage, proof: () => string): void {
    const { worker, key } = this.#identity
    switch (message.type) {
      case 'challenge': {
        const signature = proveWorker(key, { worker, nonce: message.nonce, channel: proof() })
        const hello: WorkerMessage = { type: 'hello', worker, signature, ...this.#listener.greeting() }
        this.#greetedAt = this.#options.clock.monotonic()
        this.#socket?.send(JSON.stringify(hello))
        return
      }
      case 'welcome':
        this.#isWelcome = true
        this.#failures = 0
        this.#renews = message.renews ?? false
        this.#listener.welcome(message)
        this.#listener.reached(this.#greetedAt)
        for (const call of this.#calls.messages()) this.send(call)
        return
      case 'answer':
        return this.#calls.answered(message)
      case 'beat':
        if (message.renewed !== undefined) this.#listener.reached(message.renewed)
        else if (!this.#renews) this.#listener.reached(this.#heardAt)
        return
      default:
        this.#listener.message(message)
    }
  }

  /** With a random part, so that many workers do not come back in the same moment. */
  #retryLater(): void {
    const { clock, random } = this.#options
    const most = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** this.#failures++)
    this.#retry = clock.setTimer(Math.round(most * (0.5 + random() / 2)), () => this.start())
  }
}
