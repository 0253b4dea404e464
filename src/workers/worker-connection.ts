import { newNonce } from '../clock/index.js'
import { SignalboxError, toSignalboxError } from '../errors/index.js'
import { type Hello, parseWorkerFrame, type ServerFrame, type WorkerFrame } from './protocol.js'
import { isProven } from './worker-proof.js'
import type { WorkerRecord } from './worker-record.js'
import type { WorkerRegistry } from './worker-registry.js'

/** A WebSocket, as far as a connection needs it. */
export interface WorkerChannel {
  /** The exporter value of its TLS channel; empty without TLS. */
  readonly proof: string
  send(text: string): void
  close(reason: string): void
}

/** What the hub does with the frames of a worker that has proven its key. */
export interface ConnectionPort {
  registry: WorkerRegistry
  /** Takes it as the worker's connection. @throws SignalboxError `E_WORKER_TWICE` */
  enter(connection: WorkerConnection, hello: Hello): Promise<void>
  leave(connection: WorkerConnection): void
  beat(connection: WorkerConnection, steps: number): Promise<void>
  report(connection: WorkerConnection, frame: Extract<WorkerFrame, { type: 'report' }>): void
  call(connection: WorkerConnection, method: string, params: unknown, signal: AbortSignal): Promise<unknown>
  onError(error: unknown): void
}

/** The server's end of one connection: proves the worker, then passes its frames on. */
export class WorkerConnection {
  readonly #channel: WorkerChannel
  readonly #port: ConnectionPort
  readonly #nonce = newNonce()
  readonly #calls = new Map<number, AbortController>()
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

  send(frame: ServerFrame): void {
    if (!this.#isClosed) this.#channel.send(JSON.stringify(frame))
  }

  close(reason: string): void {
    this.#channel.close(reason)
    this.closed()
  }

  closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const abort of this.#calls.values()) abort.abort()
    if (this.#record) this.#port.leave(this)
  }

  message(text: string): void {
    const frame = parseWorkerFrame(text)
    if (!frame) return this.close('not a frame of this protocol')
    this.#take(frame).catch(error => {
      const { code, message } = toSignalboxError(error)
      this.send({ type: 'refused', code, message })
      this.close(code)
    })
  }

  async #take(frame: WorkerFrame): Promise<void> {
    if (frame.type === 'join') {
      const { id, name } = await this.#port.registry.join(frame.token, frame)
      return this.send({ type: 'joined', worker: id, name })
    }
    if (frame.type === 'hello') return this.#hello(frame)
    if (!this.#record) throw new SignalboxError('E_LOGIN', 'the first frame of a worker must be join or hello')
    if (frame.type === 'beat') await this.#port.beat(this, frame.steps)
    else if (frame.type === 'report') this.#port.report(this, frame)
    else if (frame.type === 'cancel') this.#calls.get(frame.id)?.abort()
    else void this.#call(frame)
  }

  async #hello(hello: Hello): Promise<void> {
    const record = await this.#port.registry.get(hello.worker)
    const words = { worker: hello.worker, nonce: this.#nonce, channel: this.#channel.proof }
    if (!record || record.state === 'removed' || !isProven(record.key, hello.signature, words))
      throw new SignalboxError('E_LOGIN', 'unknown worker, or wrong key', {
        next: 'signalbox worker join <link> with a new invitation',
      })
    this.#record = record
    try {
      await this.#port.enter(this, hello)
    } catch (error) {
      this.#record = null
      throw error
    }
  }

  async #call({ id, method, params }: Extract<WorkerFrame, { type: 'call' }>): Promise<void> {
    const abort = new AbortController()
    this.#calls.set(id, abort)
    try {
      this.send({ type: 'answer', id, result: await this.#port.call(this, method, params, abort.signal) })
    } catch (error) {
      const { code, message } = toSignalboxError(error)
      this.send({ type: 'answer', id, error: { code, message } })
    } finally {
      this.#calls.delete(id)
    }
  }
}
