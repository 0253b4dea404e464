import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FilteringProxy, type HostRequest } from '../../sandbox/index.js'
import {
  HOST_TOOL,
  projectGrants,
  type SandboxedSession,
  SandboxRequests,
  type SandboxRequestsOptions,
} from './sandbox-requests.js'

const WAITING_MAX = 10

interface ProxiesOptions extends SandboxRequestsOptions {
  /** Contains a directory for each session, which is visible in its sandbox. */
  directory: string
  onError(error: unknown): void
}

/**
 * The proxies of sessions in a sandbox. A host that the sandbox does not know becomes a request in
 * the ledger; the connection waits for its decision, and the agent continues without a restart.
 */
export class SessionProxies {
  readonly #options: ProxiesOptions
  readonly #requests: SandboxRequests
  readonly #open = new Map<string, FilteringProxy>()

  constructor(options: ProxiesOptions) {
    this.#options = options
    this.#requests = new SandboxRequests(options)
  }

  /** The socket of a session's proxy, whether it is open or not. */
  static socketOf(directory: string, id: string): string {
    return join(directory, id, 'proxy.sock')
  }

  async open(session: SandboxedSession & { hosts: readonly string[] }): Promise<void> {
    const allowed = new Set((await projectGrants(this.#options.ledger, session.project)).hosts)
    const waiting = new Map<string, Promise<boolean>>()
    const proxy = new FilteringProxy({
      hosts: session.hosts,
      ask: async wanted => {
        const name = `${wanted.host}:${wanted.port}`
        if (allowed.has(name)) return true
        // A program that asks for many hosts does not fill the ledger.
        if (waiting.size >= WAITING_MAX && !waiting.has(name)) return false
        const asking = waiting.get(name) ?? this.#ask(session, wanted, () => allowed.add(name))
        waiting.set(name, asking)
        return asking.finally(() => waiting.delete(name))
      },
      onError: error => {
        // A host that ends asks no longer; its store is closed.
        if (this.#open.get(session.id) === proxy) this.#options.onError(error)
      },
    })
    const path = SessionProxies.socketOf(this.#options.directory, session.id)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    await proxy.listen(path)
    this.#open.set(session.id, proxy)
  }

  close(id: string): void {
    this.#open.get(id)?.close()
    this.#open.delete(id)
  }

  /** The host ends, the sessions continue: the next host opens the same sockets. */
  closeAll(): void {
    for (const proxy of this.#open.values()) proxy.close()
    this.#open.clear()
  }

  async #ask(session: SandboxedSession, wanted: HostRequest, remember: () => void): Promise<boolean> {
    const { host, port } = wanted
    const name = `${host}:${port}`
    const record = await this.#requests.raise(session, { tool: HOST_TOOL, name, input: hostInput(wanted) })
    const allowed = await this.#requests.allowed(record)
    if (!allowed) return false
    await this.#requests.applied(allowed, { host, port })
    if (allowed.tier !== 'allow-once') remember()
    return true
  }
}

/** The request that a person sees about a host that a sandbox refused. */
export function hostInput({ host, port, program, command }: HostRequest): Record<string, unknown> {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  return {
    url: `${port === 80 ? 'http' : 'https'}://${address}`,
    host,
    port,
    ...(program !== undefined && { program }),
    // Not `command`: it is not what the request would run.
    ...(command !== undefined && { commandLine: command }),
  }
}
