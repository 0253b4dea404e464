import { newNonce } from '../clock/index.js'
import { SignalboxError, toSignalboxError } from '../errors/index.js'
import { answerCall, PendingCalls } from './calls.js'
import {
  type ChannelMessage,
  packChannel,
  parseWorkerMessage,
  type ServerMessage,
  unpackChannel,
  type WorkerHello,
  type WorkerMessage,
} from './protocol.js'
import { hasValidSignature } from './worker-proof.js'
import type { WorkerRecord } from './worker-record.js'
import type { WorkerRegistry } from './worker-registry.js'

/** A WebSocket, as far as a connection needs it. */
export interface WorkerChannel {
  /** The exporter value of its TLS channel; empty without TLS. */
  readonly proof: string
  send(message: string | Uint8Array): void
  close(reason: string): void
}

/** A terminal on the worker, as its viewer on the server uses it. */
export interface TerminalChannel {
  text(message: string): void
  bytes(bytes: Uint8Array): void
  close(): void
}

/** Receives what the worker's end of a terminal sends. */
export interface ChannelListener {
  text(message: string): void
  bytes(bytes: Uint8Array): void
  closed(): void
}

export type Heartbeat = Extract<WorkerMessage, { type: 'beat' }>

/** What the hub does with the messages of a worker that has proven its key. */
export interface ConnectionPort {
  registry: WorkerRegistry
  /** Takes it as the worker's connection. @throws SignalboxError `E_WORKER_TWICE` */
  admit(connection: WorkerConnection, hello: WorkerHello): Promise<void>
  disconnected(connection: WorkerConnection): void
  heartbeat(connection: WorkerConnection, heartbeat: Heartbeat): Promise<void>
  report(connection: WorkerConnection, message: Extract<WorkerMessage, { type: 'report' }>): void
  call(connection: WorkerConnection, call: WorkerCall): Promise<unknown>
  live(connection: WorkerConnection, session: string, update: Record<string, unknown>): void
  onError(error: unknown): void
}

/** A question of a worker. */
export interface WorkerCall {
  method: string
  params: Record<string, unknown>
  /** It may have been performed before. */
  isAgain: boolean
  signal: AbortSignal
}

/** The server's end of one connection: proves the worker, then passes its messages on. */
export class WorkerConnection {
  readonly #channel: WorkerChannel
  readonly #port: ConnectionPort
  readonly #nonce = newNonce()
  readonly #calls = new Map<number, AbortController>()
  readonly #asked = new PendingCalls()
  readonly #channels = new Map<number, ChannelListener>()
  #nextChannel = 1
  #record: WorkerRecord | null = null
  #isClosed = false

  constructor(channel: WorkerChannel, port: ConnectionPort) {
    this.#channel = channel
    this.#port = port
    this.send({ type: 'challenge', nonce: this.#nonce })
  }

  /** @throws SignalboxError before the worker has proven its key. */
  get worker(): string {
    if (!this.#record) throw new SignalboxError('E_LOGIN', 'the worker has not proven its key')
    return this.#record.id
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  send(message: ServerMessage): void {
    if (!this.#isClosed) this.#channel.send(JSON.stringify(message))
  }

  /**
   * Asks the worker. @throws SignalboxError `E_WORKER_AWAY` if the connection ends before its
   * answer.
   */
  ask(method: string, params: Record<string, unknown>): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(connectionLost())
    const { id, answer } = this.#asked.add(method, params)
    this.send({ type: 'call', id, method, params })
    return answer
  }

  /** Opens a terminal on the worker; `about` says which one, and for whom. */
  openChannel(about: Record<string, unknown>, listener: ChannelListener): TerminalChannel {
    const channel = this.#nextChannel++
    this.#channels.set(channel, listener)
    this.send({ type: 'channel', channel, open: about })
    return {
      text: text => this.send({ type: 'channel', channel, text }),
      bytes: bytes => {
        if (!this.#isClosed) this.#channel.send(packChannel(channel, bytes))
      },
      close: () => {
        if (this.#channels.delete(channel)) this.send({ type: 'channel', channel, close: true })
      },
    }
  }

  close(reason: string): void {
    this.#channel.close(reason)
    this.closed()
  }

  closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const abort of this.#calls.values()) abort.abort()
    this.#asked.dropAll(connectionLost())
    const channels = [...this.#channels.values()]
    this.#channels.clear()
    for (const listener of channels) listener.closed()
    if (this.#record) this.#port.disconnected(this)
  }

  /** The bytes of a terminal. */
  binary(message: Uint8Array): void {
    const unpacked = this.#record && !this.#isClosed && unpackChannel(message)
    if (unpacked) this.#channels.get(unpacked.channel)?.bytes(unpacked.bytes)
  }

  /** Messages that arrive on a connection after this end closed it have no effect. */
  message(text: string): void {
    if (this.#isClosed) return
    const message = parseWorkerMessage(text)
    if (!message) return this.close('not a message of this protocol')
    this.#receive(message).catch(error => {
      const { code, message } = toSignalboxError(error)
      this.send({ type: 'refused', code, message })
      this.close(code)
    })
  }

  async #receive(message: WorkerMessage): Promise<void> {
    if (message.type === 'join') {
      const { id, name } = await this.#port.registry.join(message.token, message)
      return this.send({ type: 'joined', worker: id, name })
    }
    if (message.type === 'hello') return this.#hello(message)
    if (!this.#record) throw new SignalboxError('E_LOGIN', 'the first message of a worker must be join or hello')
    switch (message.type) {
      case 'beat':
        return this.#port.heartbeat(this, message)
      case 'report':
        return this.#port.report(this, message)
      case 'cancel':
        return this.#calls.get(message.id)?.abort()
      case 'live':
        return this.#port.live(this, message.session, message.update)
      case 'answer':
        return this.#asked.answered(message)
      case 'channel':
        return this.#terminal(message)
      case 'call':
        return this.#call(message)
    }
  }

  #terminal({ channel, text, close }: ChannelMessage): void {
    const listener = this.#channels.get(channel)
    if (text !== undefined) listener?.text(text)
    if (!close || !listener) return
    this.#channels.delete(channel)
    listener.closed()
  }

  async #hello(hello: WorkerHello): Promise<void> {
    const record = await this.#port.registry.get(hello.worker)
    const words = { worker: hello.worker, nonce: this.#nonce, channel: this.#channel.proof }
    if (!record || record.state === 'removed' || !hasValidSignature(record.key, hello.signature, words))
      throw new SignalboxError('E_LOGIN', 'unknown worker, or wrong key', {
        next: 'signalbox worker join <link> with a new invitation',
      })
    this.#record = record
    try {
      await this.#port.admit(this, hello)
    } catch (error) {
      this.#record = null
      throw error
    }
  }

  async #call({ id, method, params, again }: Extract<WorkerMessage, { type: 'call' }>): Promise<void> {
    const abort = new AbortController()
    this.#calls.set(id, abort)
    const call: WorkerCall = {
      method,
      params: (params ?? {}) as Record<string, unknown>,
      isAgain: again === true,
      signal: abort.signal,
    }
    this.send(await answerCall(id, () => this.#port.call(this, call)))
    this.#calls.delete(id)
  }
}

function connectionLost(): SignalboxError {
  return new SignalboxError('E_WORKER_AWAY', 'the connection to the worker broke', {
    next: 'try again when it is back: signalbox workers',
  })
}
