import { createServer, type Http2Server, type Http2Session } from 'node:http2'
import type { Clock, Timer } from '../clock/index.js'

/**
 * The port may belong to another server of this machine; when that one ends, this one takes over.
 */
const RETRY_MS = 250

type Handler = Parameters<typeof createServer>[1]

/**
 * Where the engine calls this server: HTTP/2 on the loopback interface, and on no other unless an
 * engine on another machine calls.
 */
export class EngineEndpoint {
  readonly #port: number
  readonly #clock: Clock
  readonly #isForOthers: boolean
  readonly #sessions = new Set<Http2Session>()
  #server: Http2Server | null = null
  #retry: Timer | null = null
  #isClosed = false

  constructor(port: number, clock: Clock, { isForOthers }: { isForOthers: boolean } = { isForOthers: false }) {
    this.#port = port
    this.#clock = clock
    this.#isForOthers = isForOthers
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** The handler refuses requests that no node of the engine has signed. */
  listen(handler: NonNullable<Handler>): void {
    if (this.#isClosed) return
    const server = createServer(handler)
    this.#server = server
    server.on('sessionError', () => undefined)
    server.on('session', session => {
      this.#sessions.add(session)
      session.once('close', () => this.#sessions.delete(session))
    })
    server.once('error', () => {
      this.#retry = this.#clock.setTimer(RETRY_MS, () => this.listen(handler))
    })
    server.listen(this.#port, this.#isForOthers ? undefined : '127.0.0.1')
  }

  close(): void {
    this.#isClosed = true
    this.#retry?.cancel()
    this.#server?.close()
    // The engine keeps its connections open: calls must reach the next server.
    for (const session of this.#sessions) session.close()
  }
}
