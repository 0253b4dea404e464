import { createServer, connect as dial, type Server, type Socket } from 'node:net'

/** What the proxy does with a request: forward it, drop it, or forward it and drop the answer. */
type Fate = 'pass' | 'lose request' | 'lose answer'

/** Forwards connections to the database, and breaks them. */
export class BreakingProxy {
  onRequest: (data: string) => Fate = () => 'pass'
  cuts = 0
  readonly url: string
  readonly #server: Server
  readonly #pairs = new Set<[Socket, Socket]>()

  static async before(url: string): Promise<BreakingProxy> {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return new BreakingProxy(server, url)
  }

  private constructor(server: Server, url: string) {
    const { port } = server.address() as { port: number }
    const target = new URL(url)
    this.url = url.replace(`:${target.port}/`, `:${port}/`)
    this.#server = server
    server.on('connection', client => this.#forward(client, dial(Number(target.port), target.hostname)))
  }

  /** How many connections are open. */
  get open(): number {
    return this.#pairs.size
  }

  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy()
  }

  /** From now on connections are refused. */
  async close(): Promise<void> {
    this.cut()
    await new Promise(resolve => this.#server.close(resolve))
  }

  #forward(client: Socket, server: Socket): void {
    const pair: [Socket, Socket] = [client, server]
    this.#pairs.add(pair)
    for (const socket of pair) {
      socket.on('error', () => undefined)
      socket.on('close', () => {
        this.#pairs.delete(pair)
        for (const each of pair) each.destroy()
      })
    }
    let isAnswerLost = false
    client.on('data', data => {
      const fate = this.onRequest(data.toString('latin1'))
      if (fate === 'lose request') return this.#cutOne(client)
      if (fate === 'lose answer') isAnswerLost = true
      server.write(data)
    })
    server.on('data', data => {
      if (isAnswerLost) this.#cutOne(client)
      else client.write(data)
    })
  }

  #cutOne(client: Socket): void {
    this.cuts += 1
    client.destroy()
  }
}
