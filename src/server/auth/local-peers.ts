import type { Socket } from 'node:net'
import type { Clock } from '../../clock/index.js'
import { listRuns } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'
import { bootTime, type PersonTerminal, type ProcessOrigin, peerOrigin, personTerminals } from '../../process/index.js'
import type { CallerIdentity, Credential } from '../caller.js'
import type { Route } from '../route.js'
import { type ProvenAct, TerminalCodes } from './terminal-codes.js'

/** The process of this machine that sent a request. */
export interface LocalPeer {
  pid: number
  origin: ProcessOrigin
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
/** The data of its own session that an agent's process may read. */
const OF_OWN_SESSION: ReadonlySet<string> = new Set(['sessions.get', 'sessions.git', 'sessions.diff', 'panes.get'])

const CLOCK_SLACK_MS = 2_000

/** Operations that only a person may perform: deciding, and what changes who may decide. */
const FOR_PEOPLE: ReadonlySet<string> = new Set([
  ...['approvals.decide', 'approvals.decide-batch', 'attractor.answer', 'grants.resume', 'sessions.keys', 'panes.act'],
  'panes.terminal',
  ...['settings.change', 'doctor.fix', 'projects.set-trust', 'pairing.telegram', 'pairing.telegram-bot'],
  ...['auth.link', 'auth.rotate-token', 'shares.add', 'workers.invite'],
])

/**
 * Finds the process of this machine at the other end of a connection by asking the kernel: agents
 * run as the same user as their people, so neither a file mode nor a token distinguishes them.
 */
export class LocalPeers {
  readonly #host: Host
  readonly #known = new WeakMap<Socket, Promise<LocalPeer | null>>()
  readonly #codes: TerminalCodes
  /** Kept once it is known: an agent can change the log. */
  #firstUnsandboxedAt: number | null = null

  constructor(host: Host, clock: Clock) {
    this.#host = host
    this.#codes = new TerminalCodes(clock)
  }

  /** Null for a connection of another machine. */
  of(socket: Socket | undefined): Promise<LocalPeer | null> {
    if (!socket) return Promise.resolve(null)
    const known = this.#known.get(socket) ?? this.#find(socket)
    this.#known.set(socket, known)
    return known
  }

  async #find(socket: Socket): Promise<LocalPeer | null> {
    return peerOrigin(socket, await this.#running(), await this.#findFirstUnsandboxed())
  }

  async #running(): Promise<{ name: string; pid: number }[]> {
    const kept = await this.#host.keeper.list()
    return kept.filter(({ exit }) => !exit).map(({ id, pid }) => ({ name: id, pid }))
  }

  /** @throws SignalboxError `E_ROLE` for an agent's process, except for what agents may do. */
  refuseAgents(peer: LocalPeer | null, route: Pick<Route, 'id'>, params: Readonly<Record<string, string>>): void {
    if (peer?.origin.kind !== 'agent' || FOR_AGENTS.has(route.id)) return
    const { session, sign } = peer.origin
    if (OF_OWN_SESSION.has(route.id) && session !== null && params.id === session) return
    throw new SignalboxError(
      'E_ROLE',
      `an agent may not do this: the caller belongs to ${describeSession(session)}, by ${sign}`,
      {
        next: 'do it from a terminal of your own',
        details: { inside: describeSession(session) },
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
    if (route.id === 'panes.terminal' && peer.origin.multiplexer !== undefined) return null
    if (credential.kind === 'device' || this.#host.settings.approvals?.unproven === 'allow') return null
    return (await this.#findFirstUnsandboxed()) === null ? null : peer.origin.why
  }

  /** The process was refused this; a person may confirm it with a code (`showCode`). */
  refused({ pid }: LocalPeer, act: ProvenAct): void {
    this.#codes.refused(pid, act)
  }

  /**
   * Shows a code for what was refused, in the terminals of the person's tmux.
   * @throws SignalboxError `E_STATE` where no such terminal is.
   */
  async showCode(peer: LocalPeer | null): Promise<void> {
    const terminals = await this.#terminalsAround(peer)
    if (peer && terminals.length > 0 && this.#codes.show(peer.pid, terminals)) return
    throw new SignalboxError('E_STATE', 'no terminal of your own was found to show a code on', {
      next: 'attach to tmux in a terminal window or over SSH; or use the dashboard, your chat or the passphrase',
    })
  }

  /** Whether there is a terminal to show a code on. */
  async canShowCode(peer: LocalPeer | null): Promise<boolean> {
    return (await this.#terminalsAround(peer)).length > 0
  }

  /** The person's terminals in which the multiplexer of the process is shown. */
  async #terminalsAround(peer: LocalPeer | null): Promise<readonly PersonTerminal[]> {
    const multiplexer = peer?.origin.kind === 'unproven' ? peer.origin.multiplexer : undefined
    if (multiplexer === undefined) return []
    return personTerminals(multiplexer, await this.#running(), await this.#findFirstUnsandboxed())
  }

  /** The action that the code confirms; null if the code is wrong. */
  redeem(peer: LocalPeer, code: string): string | null {
    return this.#codes.redeem(peer.pid, code)?.key ?? null
  }

  /**
   * When the first agent outside a sandbox was started, but not before the system: older processes
   * have ended. Any process since then may have been started by another program on behalf of an
   * agent, also after the agent's end: by `at`, cron, or a window of tmux that waits.
   */
  async #findFirstUnsandboxed(): Promise<number | null> {
    if (this.#firstUnsandboxedAt !== null) return this.#firstUnsandboxedAt
    const sessions = (await this.#host.records()).filter(({ sandbox }) => !sandbox)
    const runs = (await listRuns(this.#host.store)).filter(({ sandbox }) => !sandbox)
    const starts = [...sessions.map(({ startedAt }) => startedAt), ...runs.map(({ createdAt }) => createdAt)]
    if (starts.length === 0) return null
    // The start times of processes are exact to about a second.
    this.#firstUnsandboxedAt = Math.max(Math.min(...starts) - CLOCK_SLACK_MS, bootTime() ?? 0)
    return this.#firstUnsandboxedAt
  }
}

/**
 * The person in whose name an agent's process acts: the log shows that it was the agent. Starting
 * sessions and runs, which agents may do, needs the role `approver`; decisions are not among them
 * (`refuseAgents`).
 */
export function agentPerson(peer: LocalPeer | null): CallerIdentity | null {
  if (peer?.origin.kind !== 'agent') return null
  const name = describeSession(peer.origin.session)
  return { id: `inside ${name}`, name: `inside ${name}`, role: 'approver' }
}

function describeSession(session: string | null): string {
  return session ?? 'a session'
}
