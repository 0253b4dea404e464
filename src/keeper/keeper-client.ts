import { connect, type Socket } from 'node:net'
import { SignalboxError } from '../errors/index.js'
import type { AttachResult, KeeperListener, KeeperPort, KeptSession, SpawnRequest } from './port.js'
import { encodeInput, encodeJson, FrameReader, type Notice, type Reply, type Request, type Welcome, WIRE_VERSION } from './wire.js'

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** The keeper behind a socket. `onLost` is called once when the connection breaks; every open request is refused then. */
export class KeeperClient implements KeeperPort {
  readonly #socket: Socket
  readonly #reader = new FrameReader()
  readonly #waiting = new Map<number, Waiting>()
  readonly #listeners = new Map<number, KeeperListener>()
  readonly #inputs = new Map<string, number>()
  #seq = 0
  #channels = 0
  #isClosed = false
  pid = 0

  static async connect(path: string, onLost: (error: Error) => void = () => undefined): Promise<KeeperClient> {
    const socket = await new Promise<Socket>((resolve, reject) => {
      const opening = connect(path, () => resolve(opening))
      opening.once('error', reject)
    })
    const client = new KeeperClient(socket, onLost)
    const welcome = (await client.#ask({ op: 'hello', version: WIRE_VERSION })) as Welcome
    if (welcome.version !== WIRE_VERSION) {
      await client.close()
      throw new SignalboxError('E_KEEPER_VERSION', `the running keeper speaks version ${welcome.version}, this program ${WIRE_VERSION}`, {
        next: 'end the sessions that are running, then try again',
      })
    }
    client.pid = welcome.pid
    return client
  }

  private constructor(socket: Socket, onLost: (error: Error) => void) {
    this.#socket = socket
    socket.on('data', chunk => this.#read(chunk))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      const error = new SignalboxError('E_KEEPER_LOST', 'the connection to the keeper broke')
      for (const waiting of this.#waiting.values()) waiting.reject(error)
      this.#waiting.clear()
      if (!this.#isClosed) onLost(error)
    })
  }

  async spawn(request: SpawnRequest): Promise<KeptSession> {
    return (await this.#ask({ op: 'spawn', request })) as KeptSession
  }

  async list(): Promise<KeptSession[]> {
    return (await this.#ask({ op: 'list' })) as KeptSession[]
  }

  async attach(id: string, fromOffset: number, listener: KeeperListener): Promise<AttachResult> {
    const channel = ++this.#channels
    this.#listeners.set(channel, listener)
    const result = (await this.#ask({ op: 'attach', id, fromOffset, channel })) as { state: string; oldestOffset: number }
    if (result.state === 'behind') {
      this.#listeners.delete(channel)
      return { state: 'behind', oldestOffset: result.oldestOffset }
    }
    const detach = () => {
      if (this.#listeners.delete(channel)) void this.#ask({ op: 'detach', channel }).catch(() => undefined)
    }
    return { state: 'attached', detach }
  }

  async write(id: string, bytes: Uint8Array): Promise<void> {
    let channel = this.#inputs.get(id)
    if (channel === undefined) {
      channel = ++this.#channels
      this.#inputs.set(id, channel)
      // No need to wait: the keeper reads in order.
      void this.#ask({ op: 'open-input', id, channel }).catch(() => undefined)
    }
    this.#socket.write(encodeInput(channel, bytes))
  }

  async resize(id: string, cols: number, rows: number): Promise<void> {
    await this.#ask({ op: 'resize', id, cols, rows })
  }

  async signal(id: string, signal: NodeJS.Signals): Promise<void> {
    await this.#ask({ op: 'signal', id, signal })
  }

  async mark(id: string, label: string): Promise<void> {
    await this.#ask({ op: 'mark', id, label })
  }

  async forget(id: string): Promise<void> {
    await this.#ask({ op: 'forget', id })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#socket.destroy()
  }

  #ask(request: Request): Promise<unknown> {
    if (this.#socket.destroyed) return Promise.reject(new SignalboxError('E_KEEPER_LOST', 'the connection to the keeper broke'))
    const seq = ++this.#seq
    return new Promise((resolve, reject) => {
      this.#waiting.set(seq, { resolve, reject })
      this.#socket.write(encodeJson({ ...request, seq }))
    })
  }

  #read(chunk: Uint8Array): void {
    for (const frame of this.#reader.push(chunk)) {
      if (frame.kind === 'output') this.#listeners.get(frame.channel)?.output(frame.bytes, frame.t, frame.offset)
      else if (frame.kind === 'json' && 'notice' in frame.message) this.#notice(frame.message as unknown as Notice)
      else if (frame.kind === 'json') this.#reply(frame.message as unknown as Reply)
    }
  }

  #reply(reply: Reply): void {
    const waiting = this.#waiting.get(reply.reply)
    this.#waiting.delete(reply.reply)
    if (reply.ok) waiting?.resolve(reply.value)
    else waiting?.reject(new SignalboxError(reply.code as `E_${string}`, reply.message))
  }

  #notice(notice: Notice): void {
    const listener = this.#listeners.get(notice.channel)
    if (!listener) return
    if (notice.notice === 'resized') return listener.resized(notice.cols, notice.rows, notice.t)
    if (notice.notice === 'unrecorded') return listener.unrecorded(notice.failure)
    this.#listeners.delete(notice.channel)
    if (notice.notice === 'exited') listener.exited(notice.exit)
    else listener.lagging(notice.offset)
  }
}
