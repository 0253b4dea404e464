import { connect, type Socket } from 'node:net'
import { SignalboxError } from '../errors/index.js'
import type { ReadPosition } from '../terminal/recording/index.js'
import type { AttachResult, KeeperDeadline, KeeperListener, KeeperPort, KeptSession, SpawnRequest } from './port.js'
import {
  encodeInput,
  encodeJson,
  type KeeperNotice,
  type KeeperPacket,
  type KeeperReply,
  type KeeperRequest,
  type KeeperWelcome,
  PacketReader,
  WIRE_VERSION,
} from './wire.js'

/** Bytes of input in one packet: far below the packet size that the keeper refuses. */
const INPUT_MAX = 1024 * 1024

interface PendingRequest {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** The keeper behind a socket. `onLost`: the connection broke; requests are rejected. */
export class KeeperClient implements KeeperPort {
  readonly #socket: Socket
  readonly #reader = new PacketReader()
  readonly #pending = new Map<number, PendingRequest>()
  readonly #listeners = new Map<number, KeeperListener>()
  /** Channels for input, by session; each is open before the first key is sent on it. */
  readonly #inputs = new Map<string, Promise<number>>()
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
    const welcome = (await client.#ask({ op: 'hello', version: WIRE_VERSION })) as KeeperWelcome
    if (welcome.version !== WIRE_VERSION) {
      await client.close()
      throw new SignalboxError(
        'E_KEEPER_VERSION',
        `the running keeper uses protocol version ${welcome.version}, this program uses ${WIRE_VERSION}`,
        {
          next: 'end the sessions that are running, then try again',
        },
      )
    }
    client.pid = welcome.pid
    return client
  }

  private constructor(socket: Socket, onLost: (error: Error) => void) {
    this.#socket = socket
    socket.on('data', chunk => this.#read(chunk))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      const error = lost()
      for (const pending of this.#pending.values()) pending.reject(error)
      this.#pending.clear()
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
    const answer = await this.#ask({ op: 'attach', id, fromOffset, channel }).catch(error => {
      this.#listeners.delete(channel)
      throw error
    })
    const result = answer as { state: string; oldestOffset: number }
    if (result.state === 'behind') {
      this.#listeners.delete(channel)
      return { state: 'behind', oldestOffset: result.oldestOffset }
    }
    const detach = () => {
      if (this.#listeners.delete(channel)) void this.#ask({ op: 'detach', channel }).catch(() => undefined)
    }
    return { state: 'attached', detach }
  }

  async locate(id: string, offset: number): Promise<ReadPosition | null> {
    return (await this.#askIfKnown({ op: 'locate', id, offset })) as ReadPosition | null
  }

  async secret(): Promise<string | null> {
    return (await this.#askIfKnown({ op: 'secret' })) as string | null
  }

  async write(id: string, bytes: Uint8Array): Promise<void> {
    let opening = this.#inputs.get(id)
    if (!opening) {
      opening = this.#openInput(id)
      this.#inputs.set(id, opening)
    }
    const channel = await opening
    if (this.#socket.destroyed) throw lost()
    for (let at = 0; at < bytes.length; at += INPUT_MAX) {
      this.#socket.write(encodeInput(channel, bytes.subarray(at, at + INPUT_MAX)))
    }
  }

  async resize(id: string, cols: number, rows: number): Promise<void> {
    await this.#ask({ op: 'resize', id, cols, rows })
  }

  async signal(id: string, signal: NodeJS.Signals): Promise<void> {
    await this.#ask({ op: 'signal', id, signal })
  }

  async addMarker(id: string, label: string): Promise<void> {
    await this.#ask({ op: 'mark', id, label })
  }

  async setDeadline(deadline: KeeperDeadline): Promise<boolean> {
    return (await this.#askIfKnown({ op: 'deadline', deadline })) === true
  }

  async forget(id: string): Promise<void> {
    this.#inputs.delete(id)
    await this.#ask({ op: 'forget', id })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#socket.destroy()
  }

  async #openInput(id: string): Promise<number> {
    const channel = ++this.#channels
    try {
      await this.#ask({ op: 'open-input', id, channel })
      return channel
    } catch (error) {
      this.#inputs.delete(id)
      throw error
    }
  }

  /** Null from a keeper of an earlier version, which keeps its sessions until they end. */
  #askIfKnown(request: KeeperRequest): Promise<unknown> {
    return this.#ask(request).catch(error => {
      if (error instanceof SignalboxError && error.code === 'E_INPUT') return null
      throw error
    })
  }

  #ask(request: KeeperRequest): Promise<unknown> {
    if (this.#socket.destroyed) return Promise.reject(lost())
    const seq = ++this.#seq
    return new Promise((resolve, reject) => {
      this.#pending.set(seq, { resolve, reject })
      this.#socket.write(encodeJson({ ...request, seq }))
    })
  }

  #read(chunk: Uint8Array): void {
    let packets: KeeperPacket[]
    try {
      packets = this.#reader.push(chunk)
    } catch {
      // The peer does not speak our protocol: the same as no keeper.
      this.#socket.destroy()
      return
    }
    for (const packet of packets) {
      if (packet.kind === 'output') this.#listeners.get(packet.channel)?.output(packet.bytes, packet.t, packet.offset)
      else if (packet.kind === 'json' && 'notice' in packet.message)
        this.#notice(packet.message as unknown as KeeperNotice)
      else if (packet.kind === 'json') this.#reply(packet.message as unknown as KeeperReply)
    }
  }

  #reply(reply: KeeperReply): void {
    const pending = this.#pending.get(reply.reply)
    this.#pending.delete(reply.reply)
    if (reply.ok) pending?.resolve(reply.value)
    else pending?.reject(new SignalboxError(reply.code as `E_${string}`, reply.message))
  }

  #notice(notice: KeeperNotice): void {
    const listener = this.#listeners.get(notice.channel)
    if (!listener) return
    const isLast = notice.notice === 'exited' || notice.notice === 'lagging'
    if (isLast) this.#listeners.delete(notice.channel)
    switch (notice.notice) {
      case 'resized':
        listener.resized(notice.cols, notice.rows, notice.t)
        break
      case 'unrecorded':
        listener.unrecorded(notice.failure)
        break
      case 'exited':
        listener.exited(notice.exit)
        break
      case 'lagging':
        listener.lagging(notice.offset)
    }
  }
}

function lost(): SignalboxError {
  return new SignalboxError('E_KEEPER_LOST', 'the connection to the keeper broke')
}
