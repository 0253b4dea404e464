import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { SignalboxError, toSignalboxError } from '../errors/index.js'
import { peerOrigin } from '../process/index.js'
import type { Keeper } from './keeper.js'
import type { KeeperListener } from './port.js'
import { encodeJson, encodeOutput, type KeeperPacket, type KeeperRequest, PacketReader, WIRE_VERSION } from './wire.js'

/** A host with this many unsent bytes hangs; its sessions continue from their recordings. */
const UNSENT_MAX_BYTES = 8 * 1024 * 1024
/**
 * With this many unsent bytes of one session, it continues from the recording: all share a socket.
 */
const UNSENT_OF_SESSION_MAX_BYTES = 2 * 1024 * 1024

/** Serves the wire protocol on a unix socket (0600) to any number of hosts. */
export class KeeperServer {
  readonly #keeper: Keeper
  readonly #server: Server
  readonly #connections = new Set<Connection>()
  /** The daemon: the connection that asked for the secret. */
  #daemon: Connection | null = null
  readonly #onChange: () => void

  constructor(keeper: Keeper, onConnectionsChanged: () => void = () => undefined) {
    this.#keeper = keeper
    this.#onChange = onConnectionsChanged
    this.#server = createServer(socket => void this.#accept(socket))
  }

  /** The caller holds the lock for this path, so an existing socket file is stale. */
  listen(path: string): Promise<void> {
    rmSync(path, { force: true })
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(path, () => {
        chmodSync(path, 0o600)
        // A connection that cannot be accepted (no descriptors left) fails for its caller alone,
        // not for every session.
        this.#server.off('error', reject).on('error', () => undefined)
        resolve()
      })
    })
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  close(): void {
    this.#server.close()
    for (const connection of this.#connections) connection.close()
  }

  /** Refuses processes of sessions: they could type into any terminal, their own included. */
  async #accept(socket: Socket): Promise<void> {
    socket.on('error', () => socket.destroy())
    const kept = (await this.#keeper.list()).filter(({ exit }) => !exit)
    const peer = await peerOrigin(
      socket,
      kept.map(({ id, pid }) => ({ name: id, pid })),
    ).catch(() => null)
    // A home directory has one daemon. While it is connected, no other process is accepted,
    // whatever started it: an agent can have one started by tmux or at.
    if (peer?.origin.kind === 'agent' || this.#daemon) return void socket.destroy()
    const connection = new Connection(socket, this.#keeper, {
      onSecret: () => {
        if (this.#daemon && this.#daemon !== connection)
          throw new SignalboxError('E_ROLE', 'another process is the daemon of this home directory')
        this.#daemon = connection
      },
      onClose: () => {
        this.#connections.delete(connection)
        if (this.#daemon === connection) this.#daemon = null
        this.#onChange()
      },
    })
    this.#connections.add(connection)
    this.#onChange()
  }
}

class Connection {
  readonly #socket: Socket
  readonly #keeper: Keeper
  readonly #reader = new PacketReader()
  readonly #outputs = new Map<number, () => void>()
  readonly #inputs = new Map<number, string>()
  readonly #onSecret: () => void

  constructor(socket: Socket, keeper: Keeper, { onSecret, onClose }: { onSecret: () => void; onClose: () => void }) {
    this.#socket = socket
    this.#keeper = keeper
    this.#onSecret = onSecret
    socket.on('data', chunk => this.#read(chunk))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      for (const detach of this.#outputs.values()) detach()
      onClose()
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(chunk: Uint8Array): void {
    let packets: KeeperPacket[]
    try {
      packets = this.#reader.push(chunk)
    } catch {
      this.#socket.destroy()
      return
    }
    for (const packet of packets) {
      if (packet.kind === 'json') void this.#answer(packet.message as KeeperRequest & { seq: number })
      else if (packet.kind === 'input') this.#input(packet.channel, packet.bytes)
    }
  }

  #input(channel: number, bytes: Uint8Array): void {
    const id = this.#inputs.get(channel)
    // A session may exit while keys are on their way: they are dropped, as in any terminal.
    if (id) void this.#keeper.write(id, Uint8Array.from(bytes)).catch(() => undefined)
  }

  async #answer(request: KeeperRequest & { seq: number }): Promise<void> {
    try {
      const value = await this.#perform(request)
      this.#send({ reply: request.seq, ok: true, value })
    } catch (thrown) {
      const error = toSignalboxError(thrown)
      this.#send({ reply: request.seq, ok: false, code: error.code, message: error.message })
    }
  }

  async #perform(request: KeeperRequest): Promise<unknown> {
    const keeper = this.#keeper
    switch (request.op) {
      case 'hello':
        return { version: WIRE_VERSION, pid: process.pid }
      case 'spawn':
        return keeper.spawn(request.request)
      case 'list':
        return keeper.list()
      case 'attach':
        return this.#attach(request.id, request.fromOffset, request.channel)
      case 'locate':
        return keeper.locate(request.id, request.offset)
      case 'detach':
        return this.#detach(request.channel)
      case 'open-input':
        await keeper.check(request.id)
        return void this.#inputs.set(request.channel, request.id)
      case 'resize':
        return keeper.resize(request.id, request.cols, request.rows)
      case 'signal':
        return keeper.signal(request.id, request.signal)
      case 'mark':
        return keeper.addMarker(request.id, request.label)
      case 'secret':
        this.#onSecret()
        return keeper.secret()
      case 'deadline':
        return keeper.setDeadline(request.deadline)
      case 'forget':
        return keeper.forget(request.id)
      default:
        throw new SignalboxError('E_INPUT', `unknown operation ${String((request as { op: unknown }).op)}`)
    }
  }

  async #attach(id: string, fromOffset: number, channel: number): Promise<unknown> {
    // Set when the program has exited or the caller was cut off; both may happen while older output
    // is still being sent.
    let isOver = false
    let unsent = 0
    const notify = (notice: object) => {
      if (!isOver) this.#send(notice)
    }
    const end = (notice: object) => {
      notify(notice)
      isOver = true
      this.#detach(channel)
    }
    const listener: KeeperListener = {
      output: (bytes, t, offset) => {
        if (isOver) return
        if (unsent > UNSENT_OF_SESSION_MAX_BYTES || this.#socket.writableLength > UNSENT_MAX_BYTES)
          return listener.lagging(offset)
        unsent += bytes.length
        this.#socket.write(encodeOutput(channel, t, offset, bytes), () => {
          unsent -= bytes.length
        })
      },
      resized: (cols, rows, t) => notify({ notice: 'resized', channel, cols, rows, t }),
      unrecorded: failure => notify({ notice: 'unrecorded', channel, failure }),
      exited: exit => end({ notice: 'exited', channel, exit }),
      lagging: offset => end({ notice: 'lagging', channel, offset }),
    }
    const result = await this.#keeper.attach(id, fromOffset, listener)
    if (result.state === 'behind') return result
    if (isOver || this.#socket.destroyed) result.detach()
    else this.#outputs.set(channel, result.detach)
    return { state: 'attached' }
  }

  #detach(channel: number): void {
    this.#outputs.get(channel)?.()
    this.#outputs.delete(channel)
  }

  #send(message: object): void {
    if (!this.#socket.destroyed) this.#socket.write(encodeJson(message))
  }
}
