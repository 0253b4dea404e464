import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Clock } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import type { Host } from '../host/index.js'
import { createApp } from './app.js'
import type { LocalPeers } from './auth/local-peers.js'
import { Metrics } from './metrics.js'
import type { ServerParts } from './parts.js'
import { hookRoutes } from './routes/hooks.js'
import { sessionFileRoutes } from './routes/session-files.js'
import { sessionGitRoutes } from './routes/session-git.js'

interface WorkerApiOptions {
  host: Host
  clock: Clock
  /** The unix socket that hooks of agents report to. */
  path: string
  log(line: string): void
}

/** A request that a server passes on, because only the worker has the files of the session. */
export interface ForwardedRequest {
  method: string
  /** Path and query. */
  target: string
  type: string | null
  /** In base64. */
  body: string
}

export interface ForwardedAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** Largest body of one request or answer, which must fit into one message of the connection. */
export const FORWARD_MAX = 11 * 1024 * 1024

/**
 * The operations of the API that a worker performs: reports of its agents' hooks, on a socket of
 * its own machine; and what its server passes on about files of its sessions.
 */
export class WorkerApi {
  readonly #server: Server
  readonly #path: string

  readonly #files: ReturnType<typeof createApp>

  private constructor(server: Server, path: string, files: ReturnType<typeof createApp>) {
    this.#server = server
    this.#path = path
    this.#files = files
  }

  static async open({ host, clock, path, log }: WorkerApiOptions): Promise<WorkerApi> {
    const parts: Pick<ServerParts, 'host' | 'clock' | 'metrics' | 'log'> & {
      audit: { refused(): void }
      peers: Pick<LocalPeers, 'of' | 'refuseAgents' | 'needsProof'>
    } = {
      host,
      clock,
      metrics: new Metrics(),
      audit: { refused: () => undefined },
      // Every process may report a hook, and a server has checked what it passes on.
      peers: { of: async () => null, refuseAgents: () => undefined, needsProof: async () => null },
      log,
    }
    // These routes use nothing else of a server.
    const app = createApp(parts as unknown as ServerParts, { kind: 'socket' }, hookRoutes)
    const files = createApp(parts as unknown as ServerParts, { kind: 'socket' }, [
      ...sessionFileRoutes,
      ...sessionGitRoutes,
    ])
    const server = createServer(getRequestListener(app.fetch))
    rmSync(path, { force: true })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, resolve)
    })
    chmodSync(path, 0o600)
    return new WorkerApi(server, path, files)
  }

  async forward({ method, target, type, body }: ForwardedRequest): Promise<ForwardedAnswer> {
    const response = await this.#files.request(target, {
      method,
      headers: { 'x-signalbox-time': 'ms', ...(type !== null && { 'content-type': type }) },
      ...(method !== 'GET' && { body: Buffer.from(body, 'base64') }),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    if (bytes.length > FORWARD_MAX)
      throw new SignalboxError('E_LIMIT', `the answer is ${bytes.length} bytes long; the limit is ${FORWARD_MAX}`)
    return { status: response.status, headers: Object.fromEntries(response.headers), body: bytes.toString('base64') }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
    rmSync(this.#path, { force: true })
  }
}
