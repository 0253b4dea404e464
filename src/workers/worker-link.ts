import { createHash, type KeyObject } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import WebSocket from 'ws'
import type { Clock, Timer } from '../clock/index.js'
import { type ErrorCode, SignalboxError } from '../errors/index.js'
import { FRAME_MAX, parseServerFrame, type ServerFrame, SUBPROTOCOL, type WorkerFrame } from './protocol.js'
import { proveWorker } from './worker-proof.js'
import type { ServerPort } from './worker-steps.js'

const RETRY_MIN_MS = 200
const RETRY_MAX_MS = 5_000

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

/** What a worker says of itself with every connection. */
type Greeting = Omit<Extract<WorkerFrame, { type: 'hello' }>, 'type' | 'worker' | 'signature'>

export interface LinkListener {
  greeting(): Greeting
  welcome(frame: Extract<ServerFrame, { type: 'welcome' }>): void
  frame(frame: ServerFrame): void
  /** The connection has ended, or could not be made; another attempt follows. */
  away(reason: string): void
}

interface PendingCall {
  method: string
  params: Record<string, unknown>
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** Connects once and waits for the first frames. Used to join. */
export function openSocket({ server, pin }: Pick<LinkOptions, 'server' | 'pin'>): {
  socket: WebSocket
  /** The exporter value of the TLS channel; empty without TLS. */
  proof(): string
} {
  const url = new URL('/api/v1/worker', server)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  const socket = new WebSocket(url, SUBPROTOCOL, { maxPayload: FRAME_MAX, rejectUnauthorized: pin === null })
  let channel: TLSSocket | null = null
  socket.on('upgrade', response => {
    const tls = response.socket as Partial<TLSSocket>
    if (tls.encrypted !== true) return
    channel = tls as TLSSocket
    if (pin !== null && pinOf(channel) !== pin) socket.terminate()
  })
  return { socket, proof: () => (channel ? channelProof(channel) : '') }
}

export function channelProof(socket: TLSSocket): string {
  return socket.exportKeyingMaterial(32, 'EXPORTER-signalbox-worker-v1', Buffer.alloc(0)).toString('base64')
}

function pinOf(socket: TLSSocket): string | null {
  const key = socket.getPeerX509Certificate()?.publicKey.export({ format: 'der', type: 'spki' })
  return key ? createHash('sha256').update(key).digest('base64url') : null
}

/** A worker's connection to a server: proves its key, connects again after every break. */
export class WorkerLink implements ServerPort {
  readonly #options: LinkOptions
  readonly #identity: WorkerIdentity
  readonly #listener: LinkListener
  readonly #calls = new Map<number, PendingCall>()
  #nextCall = 1
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
    socket.on('message', data => {
      const frame = parseServerFrame(String(data))
      if (frame?.type === 'refused') reason = `${frame.code}: ${frame.message}`
      if (frame) this.#take(frame, proof)
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

  send(frame: WorkerFrame): void {
    if (this.#isWelcome && this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame))
  }

  /** Calls survive a break: they are sent again to the next server. */
  call(method: string, params: Record<string, unknown>, signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = this.#nextCall++
      this.#calls.set(id, { method, params, resolve, reject })
      signal?.addEventListener(
        'abort',
        () => {
          if (!this.#calls.delete(id)) return
          this.send({ type: 'cancel', id })
          reject(signal.reason)
        },
        { once: true },
      )
      this.send({ type: 'call', id, method, params })
    })
  }

  #take(frame: ServerFrame, proof: () => string): void {
    const { worker, key } = this.#identity
    switch (frame.type) {
      case 'challenge': {
        const signature = proveWorker(key, { worker, nonce: frame.nonce, channel: proof() })
        const hello: WorkerFrame = { type: 'hello', worker, signature, ...this.#listener.greeting() }
        this.#socket?.send(JSON.stringify(hello))
        return
      }
      case 'welcome':
        this.#isWelcome = true
        this.#failures = 0
        this.#listener.welcome(frame)
        for (const [id, { method, params }] of this.#calls) this.send({ type: 'call', id, method, params })
        return
      case 'answer':
        return this.#answer(frame)
      default:
        this.#listener.frame(frame)
    }
  }

  #answer({ id, result, error }: Extract<ServerFrame, { type: 'answer' }>): void {
    const pending = this.#calls.get(id)
    if (!pending) return
    this.#calls.delete(id)
    if (error === undefined) return pending.resolve(result)
    const { code, message } = error as { code: ErrorCode; message: string }
    pending.reject(new SignalboxError(code, message))
  }

  /** With a random part, so that many workers do not come back in the same moment. */
  #retryLater(): void {
    const { clock, random } = this.#options
    const most = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** this.#failures++)
    this.#retry = clock.setTimer(Math.round(most * (0.5 + random() / 2)), () => this.start())
  }
}
