import { createHash } from 'node:crypto'
import { delay } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { isStoreLost } from '../store/index.js'
import type { ServerAddress, ServerMessage, WorkerMessage } from './protocol.js'
import { type LinkListener, type LinkOptions, type Load, ServerLink, type WorkerIdentity } from './server-link.js'
import type { ServerPort } from './worker-steps.js'

export interface LinksOptions extends Pick<LinkOptions, 'clock' | 'random'> {
  /** The servers that were last known; at least one. */
  servers: readonly ServerAddress[]
}

export interface LinksListener {
  greeting: LinkListener['greeting']
  welcome(message: Extract<ServerMessage, { type: 'welcome' }>, address: string): void
  message(message: ServerMessage): void
  bytes: LinkListener['bytes']
  reached: LinkListener['reached']
  away(reason: string, address: string): void
  /** No server is connected any more. */
  disconnected(): void
  /** The servers that exist now: the next start of this worker connects to them. */
  servers(servers: readonly ServerAddress[]): void
}

interface Link {
  /** Tells its calls and terminals apart from those of other servers. */
  index: number
  address: ServerAddress
  port: ServerLink
  isConnected: boolean
  /** Calls that wait for its answer: each moves to another server when this one is away. */
  moving: Set<AbortController>
}

const MOVED = Symbol('moved')
/** A server that cannot answer is asked again after this time. */
const BUSY_MS = 1_000
/** Servers number their calls and terminals by themselves. */
const LINKS_MAX = 1_024

/**
 * The connections of a worker to all servers. What concerns a run goes to the server that drives
 * it, which is the last one that said what it wants of the run; everything else goes to any server.
 */
export class ServerLinks implements ServerPort {
  readonly #options: LinksOptions
  readonly #identity: WorkerIdentity
  readonly #listener: LinksListener
  readonly #links = new Map<string, Link>()
  readonly #drivers = new Map<string, { link: Link; term: number }>()
  readonly #waiting: (() => void)[] = []
  /** The server that gets the calls that are about no run. */
  #usual: Link | null = null
  #opened = 0
  #isClosed = false

  constructor(options: LinksOptions, identity: WorkerIdentity, listener: LinksListener) {
    this.#options = options
    this.#identity = identity
    this.#listener = listener
  }

  start(): void {
    for (const address of this.#options.servers) this.#open(address)
  }

  close(): void {
    this.#isClosed = true
    for (const { port } of this.#links.values()) port.close()
  }

  send(message: WorkerMessage, onSent?: () => void): void {
    if (message.type === 'answer')
      return this.#numbered(message.id)?.port.send({ ...message, id: own(message.id) }, onSent)
    if (message.type === 'channel')
      return this.#numbered(message.channel)?.port.send({ ...message, channel: own(message.channel) }, onSent)
    const driver = 'run' in message ? this.#drivers.get(message.run)?.link : undefined
    if (driver?.isConnected) return driver.port.send(message, onSent)
    for (const { port } of this.#links.values()) port.send(message, onSent)
  }

  /** The bytes of a terminal for a viewer. */
  sendBytes(channel: number, bytes: Uint8Array, onSent?: () => void): void {
    this.#numbered(channel)?.port.sendBytes(own(channel), bytes, onSent)
  }

  /** Bytes that wait for the network. */
  get unsent(): number {
    return Math.max(0, ...[...this.#links.values()].map(({ port }) => port.unsent))
  }

  /** Tells every server that this worker is alive. */
  heartbeat(load: Load): void {
    for (const { port } of this.#links.values()) port.heartbeat(load)
  }

  async call(method: string, params: Record<string, unknown>, signal?: AbortSignal): Promise<unknown> {
    for (let isAgain = false; ; isAgain = true) {
      const link = await this.#linkFor(params.run)
      const moving = new AbortController()
      link.moving.add(moving)
      try {
        const both = signal ? AbortSignal.any([signal, moving.signal]) : moving.signal
        return await link.port.call(method, params, { signal: both, isAgain })
      } catch (error) {
        const mayMove = moving.signal.aborted || isOfServer(error)
        if (!mayMove || signal?.aborted || this.#isClosed) throw error
        // A server that lost its store ends itself, and another one gets the call.
        if (!moving.signal.aborted) await delay(this.#options.clock, BUSY_MS, moving.signal)
      } finally {
        link.moving.delete(moving)
      }
    }
  }

  #numbered(number: number): Link | undefined {
    return [...this.#links.values()].find(({ index }) => index === number % LINKS_MAX)
  }

  async #linkFor(run: unknown): Promise<Link> {
    for (;;) {
      const driver = typeof run === 'string' ? this.#drivers.get(run)?.link : undefined
      if (driver?.isConnected) return driver
      const connected = this.#choose()
      if (connected) return connected
      await new Promise<void>(resolve => this.#waiting.push(resolve))
    }
  }

  /**
   * Each worker prefers another server, so that they share the calls. It changes only while no call
   * is under way: calls must arrive in their order.
   */
  #choose(): Link | null {
    const usual = this.#usual
    if (usual?.isConnected && usual.moving.size > 0) return usual
    const connected = [...this.#links.values()].filter(({ isConnected }) => isConnected)
    const score = ({ address }: Link) => scoreOf(this.#identity.worker, address.id ?? address.address)
    this.#usual = connected.sort((a, b) => (score(a) < score(b) ? -1 : 1))[0] ?? null
    return this.#usual
  }

  #open(address: ServerAddress): void {
    const { clock, random } = this.#options
    const listener: LinkListener = {
      greeting: () => this.#listener.greeting(),
      welcome: message => this.#welcome(link, message),
      message: message => this.#message(link, message),
      bytes: (channel, bytes) => this.#listener.bytes(channel * LINKS_MAX + link.index, bytes),
      reached: sentAt => this.#listener.reached(sentAt),
      away: reason => this.#away(link, reason),
    }
    const port = new ServerLink({ server: address.address, pin: address.pin, clock, random }, this.#identity, listener)
    const link: Link = { index: this.#opened++ % LINKS_MAX, address, port, isConnected: false, moving: new Set() }
    this.#links.set(address.address, link)
    port.start()
  }

  #welcome(link: Link, message: Extract<ServerMessage, { type: 'welcome' }>): void {
    link.isConnected = true
    if (message.server !== undefined) link.address = { ...link.address, id: message.server }
    this.#listener.welcome(message, link.address.address)
    for (const resume of this.#waiting.splice(0)) resume()
    this.#follow(link, message.servers ?? [])
  }

  #message(link: Link, message: ServerMessage): void {
    if (message.type === 'servers') return this.#follow(link, message.servers)
    if (message.type === 'call') return this.#listener.message({ ...message, id: message.id * LINKS_MAX + link.index })
    if (message.type === 'channel')
      return this.#listener.message({ ...message, channel: message.channel * LINKS_MAX + link.index })
    if (
      message.type === 'wanted' &&
      message.term !== null &&
      message.term >= (this.#drivers.get(message.run)?.term ?? 0)
    )
      this.#drivers.set(message.run, { link, term: message.term })
    if (message.type === 'wanted' && message.term === null) this.#drivers.delete(message.run)
    this.#listener.message(message)
  }

  #away(link: Link, reason: string): void {
    if (this.#links.get(link.address.address) !== link) return
    const wasConnected = link.isConnected
    link.isConnected = false
    this.#listener.away(reason, link.address.address)
    for (const moving of link.moving) moving.abort(MOVED)
    if (wasConnected && ![...this.#links.values()].some(({ isConnected }) => isConnected)) this.#listener.disconnected()
  }

  /**
   * A server says which others there are. One that is reached by another name is not opened twice.
   */
  #follow(from: Link, servers: readonly ServerAddress[]): void {
    if (servers.length === 0 || this.#isClosed) return
    const others = servers.filter(({ id }) => id !== from.address.id)
    const wanted = [from.address, ...others]
    this.#listener.servers(wanted)
    for (const link of [...this.#links.values()]) {
      if (wanted.some(({ id, address }) => address === link.address.address && (link.address.id ?? id) === id)) continue
      if (link.isConnected && others.every(({ id }) => id !== link.address.id)) continue
      this.#links.delete(link.address.address)
      link.port.close()
      for (const moving of link.moving) moving.abort(MOVED)
    }
    for (const address of others) {
      const isKnown = [...this.#links.values()].some(link => link.address.id === address.id && link.isConnected)
      if (!isKnown && !this.#links.has(address.address)) this.#open(address)
    }
  }
}

/** An error of the server that was asked, not of the call. */
function isOfServer(error: unknown): boolean {
  if (isStoreLost(error)) return true
  return error instanceof SignalboxError && (error.code === 'E_STORE_BUSY' || error.code === 'E_STORE_CLOSED')
}

function scoreOf(worker: string, server: string): string {
  return createHash('sha256').update(`${worker} ${server}`).digest('hex')
}

/** The number that the server gave. */
function own(number: number): number {
  return Math.floor(number / LINKS_MAX)
}
