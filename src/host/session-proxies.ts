import { mkdirSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { type ApprovalRecord, type LedgerPort, requestFromReport, waitForRecord } from '../approvals/index.js'
import type { Clock } from '../clock/index.js'
import { FilteringProxy, type HostRequest } from '../sandbox/index.js'
import type { EventStore } from '../store/index.js'

/** The channel of requests that a sandbox raises: their answer opens the sandbox, not a menu. */
export const SANDBOX_CHANNEL = 'sandbox'
export const HOST_TOOL = 'Network'

interface SandboxedSession {
  id: string
  agent: string
  project: string
  cwd: string
  hosts: readonly string[]
}

interface ProxiesOptions {
  ledger: LedgerPort
  store: EventStore
  clock: Clock
  /** Contains a directory for each session, which is visible in its sandbox. */
  directory: string
}

/**
 * The proxies of sessions in a sandbox. A host that the sandbox does not know becomes a request in
 * the ledger; the connection waits for its decision, and the agent continues without a restart.
 */
export class SessionProxies {
  readonly #options: ProxiesOptions
  readonly #open = new Map<string, FilteringProxy>()
  #asked = 0

  constructor(options: ProxiesOptions) {
    this.#options = options
  }

  /** The socket of a session's proxy, whether it is open or not. */
  static socketOf(directory: string, id: string): string {
    return join(directory, id, 'proxy.sock')
  }

  async open(session: SandboxedSession): Promise<void> {
    const allowed = new Set(await allowedHosts(this.#options.ledger, session.project))
    const waiting = new Map<string, Promise<boolean>>()
    const proxy = new FilteringProxy({
      hosts: session.hosts,
      ask: async wanted => {
        const name = `${wanted.host}:${wanted.port}`
        if (allowed.has(name)) return true
        const asking = waiting.get(name) ?? this.#ask(session, wanted, () => allowed.add(name))
        waiting.set(name, asking)
        return asking.finally(() => waiting.delete(name))
      },
    })
    const path = SessionProxies.socketOf(this.#options.directory, session.id)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    await proxy.listen(path)
    this.#open.set(session.id, proxy)
  }

  close(id: string): void {
    this.#open.get(id)?.close()
    if (this.#open.delete(id)) rmSync(join(this.#options.directory, id), { recursive: true, force: true })
  }

  /** The host ends, the sessions continue: the next host opens the same sockets. */
  closeAll(): void {
    for (const proxy of this.#open.values()) proxy.close()
  }

  async #ask(
    { id, agent, project, cwd }: SandboxedSession,
    { host, port, ...asker }: HostRequest,
    remember: () => void,
  ): Promise<boolean> {
    const { ledger, store, clock } = this.#options
    const request = requestFromReport(
      {
        channel: SANDBOX_CHANNEL,
        requestKey: `${id}:${host}:${port}:${clock.now()}:${++this.#asked}`,
        tool: HOST_TOOL,
        input: { host, port, ...asker },
        options: [
          { key: 'allow', label: 'Allow once', meaning: 'allow-once' },
          { key: 'session', label: 'Allow for this session', meaning: 'allow-session' },
          { key: 'project', label: 'Allow for this project', meaning: 'allow-always' },
          { key: 'deny', label: 'Deny', meaning: 'deny' },
        ],
      },
      { subject: { agent, session: id, project, cwd, hostName: hostname() } },
    )
    const record = await ledger.request(request)
    const decided = await waitForRecord({ store, clock }, record, ({ state }) => state !== 'pending', {
      timeoutMs: Number.MAX_SAFE_INTEGER,
    })
    if (decided.state !== 'decided' || !decided.decision) return false
    if (!(await ledger.isProven(decided))) {
      await ledger.stale(decided, 'unproven')
      return false
    }
    await ledger.applied(decided, [{ kind: 'sandbox', host, port }], clock.now())
    const { tier } = decided.decision
    if (tier === 'allow-session' || tier === 'allow-always') remember()
    return tier.startsWith('allow')
  }
}

/**
 * Hosts that a person allowed for the whole project, while the same keeper runs: `<host>:<port>`.
 */
export async function allowedHosts(ledger: Pick<LedgerPort, 'list' | 'isProven'>, project: string): Promise<string[]> {
  const isOurs = (record: ApprovalRecord) =>
    record.source.channel === SANDBOX_CHANNEL &&
    record.subject.project === project &&
    record.decision?.tier === 'allow-always'
  const hosts: string[] = []
  for (const record of (await ledger.list({ isOpenOnly: false })).filter(isOurs)) {
    const { host, port } = record.request.input as { host: string; port: number }
    if (await ledger.isProven(record)) hosts.push(`${host}:${port}`)
  }
  return hosts
}
