import type { Socket } from 'node:net'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'
import { type Origin, peerOrigin } from '../../process/index.js'
import type { Credential, Person } from '../caller.js'
import type { Route } from '../route.js'

/** The process of this machine that sent a request. */
export interface LocalPeer {
  pid: number
  origin: Origin
}

/**
 * What the API does for a process of an agent: it reports hooks, checks graphs, and starts sessions
 * and runs, which are labelled with its session. It does not decide, grant, change settings, log
 * in, type, or read what other sessions do.
 */
const FOR_AGENTS: ReadonlySet<string> = new Set([
  ...['hooks.report', 'health.alive', 'health.daemon', 'openapi.get'],
  ...['graphs.validate', 'graphs.render', 'graphs.list', 'pipelines.list'],
  ...['sessions.start', 'runs.start', 'pipelines.start'],
])
/** What an agent's process may read about the session that it belongs to. */
const OF_OWN_SESSION: ReadonlySet<string> = new Set(['sessions.get', 'sessions.git', 'sessions.diff', 'panes.get'])

/** Operations that only a person may perform: deciding, and what changes who may decide. */
const FOR_PEOPLE: ReadonlySet<string> = new Set([
  ...['approvals.decide', 'approvals.decide-batch', 'attractor.answer', 'grants.resume', 'sessions.keys', 'panes.act'],
  'panes.terminal',
  ...['settings.change', 'doctor.fix', 'projects.trust-it', 'pairing.telegram'],
  ...['auth.link', 'auth.rotate-token', 'workers.invite'],
])

/**
 * Which process of this machine is at the other end of a connection, as the kernel knows it: agents
 * run as the same user as their people, so neither a file mode nor a token tells them apart.
 */
export class LocalPeers {
  readonly #host: Host
  readonly #known = new WeakMap<Socket, Promise<LocalPeer | null>>()

  constructor(host: Host) {
    this.#host = host
  }

  /** Null for a connection of another machine. */
  of(socket: Socket | undefined): Promise<LocalPeer | null> {
    if (!socket) return Promise.resolve(null)
    const known = this.#known.get(socket) ?? this.#find(socket)
    this.#known.set(socket, known)
    return known
  }

  async #find(socket: Socket): Promise<LocalPeer | null> {
    const kept = await this.#host.keeper.list()
    return peerOrigin(
      socket,
      kept.filter(({ exit }) => !exit).map(({ id, pid }) => ({ name: id, pid })),
    )
  }

  /** @throws SignalboxError `E_ROLE` for an agent's process, except for what agents may do. */
  refuseAgents(peer: LocalPeer | null, route: Pick<Route, 'id'>, params: Readonly<Record<string, string>>): void {
    if (peer?.origin.kind !== 'agent' || FOR_AGENTS.has(route.id)) return
    const { session, sign } = peer.origin
    if (OF_OWN_SESSION.has(route.id) && session !== null && params.id === session) return
    throw new SignalboxError(
      'E_ROLE',
      `an agent may not do this: the caller belongs to ${named(session)}, by ${sign}`,
      {
        next: 'do it from a terminal of your own',
        details: { inside: named(session) },
      },
    )
  }

  /**
   * Whether this request needs a proof beyond its connection: another program may have sent it for
   * an agent. A browser's device key is such a proof, and a passphrase.
   */
  async needsProof(peer: LocalPeer | null, route: Pick<Route, 'id'>, credential: Credential): Promise<string | null> {
    if (peer?.origin.kind !== 'unproven' || !FOR_PEOPLE.has(route.id)) return null
    // People attach from tmux every day: what is typed there is recorded as typed, not refused.
    if (route.id === 'panes.terminal' && peer.origin.isMultiplexer) return null
    if (credential.kind === 'device' || this.#host.settings.approvals?.unproven === 'allow') return null
    return (await this.#hasOpenAgents()) ? peer.origin.why : null
  }

  /** Whether an agent runs that could have asked another program to call. */
  async #hasOpenAgents(): Promise<boolean> {
    const records = await this.#host.records()
    return records.some(({ id, sandbox }) => !sandbox && this.#host.isRunning(id))
  }
}

/** The person in whose name an agent's process acts: the log shows that it was the agent. */
export function agentPerson(peer: LocalPeer | null): Person | null {
  if (peer?.origin.kind !== 'agent') return null
  const name = named(peer.origin.session)
  return { id: `inside ${name}`, name: `inside ${name}`, role: 'approver' }
}

function named(session: string | null): string {
  return session ?? 'a session'
}
