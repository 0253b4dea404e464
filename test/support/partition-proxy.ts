import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { isConnectionOf } from './connection-owner.js'

/**
 * Forwards connections, and can be cut like a network: bytes stay where they are, and no connection
 * closes. What was sent in the meantime arrives after the cut, late, as TCP delivers it.
 */
export class PartitionProxy {
  readonly port: number
  /** What clients have sent. */
  bytesIn = 0
  /** Sees all that passes; what it returns false for does not arrive. */
  onData: (data: Buffer, from: 'client' | 'server', connection: object) => boolean = () => true
  readonly #server: Server
  readonly #target: number | string
  readonly #pairs = new Set<[Socket, Socket]>()
  #isCut: (client: Socket) => boolean = () => false

  /**
   * @param target a port of this machine, or the path of a unix socket.
   * @param port where clients find it; by default a free one.
   */
  static async to(target: number | string, port = 0): Promise<PartitionProxy> {
    // A connection that is made during a cut waits, too.
    const server = createServer({ pauseOnConnect: true })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
    return new PartitionProxy(server, target)
  }

  private constructor(server: Server, target: number | string) {
    this.port = (server.address() as { port: number }).port
    this.#server = server
    this.#target = target
    server.on('connection', client => this.#forward(client))
  }

  cut(): void {
    this.#cut(() => true)
  }

  /** Cuts off the clients in this process only; returns how many connections that are. */
  cutFrom(pid: number): number {
    return this.#cut(({ remotePort }) => remotePort !== undefined && isConnectionOf(pid, remotePort))
  }

  /** Cuts off all clients but those in this process; returns how many connections that are. */
  cutExcept(pid: number): number {
    return this.#cut(({ remotePort }) => remotePort === undefined || !isConnectionOf(pid, remotePort))
  }

  heal(): void {
    this.#isCut = () => false
    for (const pair of this.#pairs) for (const socket of pair) socket.resume()
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy()
    await new Promise(resolve => this.#server.close(resolve))
  }

  #cut(isCut: (client: Socket) => boolean): number {
    this.#isCut = isCut
    const pairs = [...this.#pairs].filter(([client]) => isCut(client))
    for (const pair of pairs) for (const socket of pair) socket.pause()
    return pairs.length
  }

  #forward(client: Socket): void {
    const server = typeof this.#target === 'string' ? dial({ path: this.#target }) : dial(this.#target, '127.0.0.1')
    const pair: [Socket, Socket] = [client, server]
    this.#pairs.add(pair)
    const isCut = this.#isCut(client)
    for (const [from, to] of [pair, [server, client]] as const) {
      from.setNoDelay(true)
      from.on('error', () => undefined)
      from.on('data', data => {
        if (from === client) this.bytesIn += data.length
        if (this.onData(data, from === client ? 'client' : 'server', pair)) to.write(data)
      })
      from.on('close', () => {
        this.#pairs.delete(pair)
        to.destroy()
      })
      if (isCut) from.pause()
      else from.resume()
    }
  }
}
