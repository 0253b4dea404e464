import { hostname } from 'node:os'
import { type ApprovalRecord, type LedgerPort, requestFromReport, waitForRecord } from '../../approvals/index.js'
import type { Clock } from '../../clock/index.js'
import type { HostRequest, OpenedPath } from '../../sandbox/index.js'
import type { EventStore } from '../../store/index.js'

/** The channel of requests that a sandbox raises: their answer opens the sandbox, not a menu. */
export const SANDBOX_CHANNEL = 'sandbox'
/** The tools of these requests. */
export const HOST_TOOL = 'Network'
export const PATH_TOOLS = { read: 'Sandbox read', write: 'Sandbox write' } as const

/** The session whose sandbox asks. */
export interface SandboxedSession {
  id: string
  agent: string
  project: string
  cwd: string
}

export interface SandboxRequestsOptions {
  ledger: LedgerPort
  store: EventStore
  clock: Clock
}

/** How long a person lets the sandbox be open. */
export type AllowMeaning = 'allow-once' | 'allow-session' | 'allow-always'

const OPTIONS = [
  { key: 'allow', label: 'Allow once', meaning: 'allow-once' },
  { key: 'session', label: 'Allow for this session', meaning: 'allow-session' },
  { key: 'project', label: 'Allow for this project', meaning: 'allow-always' },
  { key: 'deny', label: 'Deny', meaning: 'deny' },
] as const

/** Requests of sandboxes in the ledger. */
export class SandboxRequests {
  readonly #options: SandboxRequestsOptions
  #asked = 0

  constructor(options: SandboxRequestsOptions) {
    this.#options = options
  }

  /** Raises a request. `meanings`: how it can be allowed; by default in every way. */
  raise(
    { id, agent, project, cwd }: SandboxedSession,
    { tool, name, input, meanings }: { tool: string; name: string; input: unknown; meanings?: readonly AllowMeaning[] },
  ): Promise<ApprovalRecord> {
    const { ledger, clock } = this.#options
    return ledger.request(
      requestFromReport(
        {
          channel: SANDBOX_CHANNEL,
          requestKey: `${id}:${name}:${clock.now()}:${++this.#asked}`,
          tool,
          input,
          options: OPTIONS.filter(({ meaning }) => meaning === 'deny' || (meanings?.includes(meaning) ?? true)),
        },
        { subject: { agent, session: id, project, cwd, hostName: hostname() } },
      ),
    )
  }

  /** Waits for the decision. Null if nothing was allowed, or not by a proven decision. */
  async allowed(
    record: ApprovalRecord,
    signal?: AbortSignal,
  ): Promise<(ApprovalRecord & { tier: AllowMeaning }) | null> {
    const { ledger, store, clock } = this.#options
    const isDecided = ({ state }: ApprovalRecord) => state !== 'pending'
    const options = { timeoutMs: Number.MAX_SAFE_INTEGER, ...(signal && { signal }) }
    const decided = await waitForRecord({ store, clock }, record, isDecided, options)
    if (decided.state !== 'decided' || !decided.decision) return null
    if (!(await ledger.isProven(decided))) {
      await ledger.stale(decided, 'unproven')
      return null
    }
    const { tier } = decided.decision
    if (isAllowMeaning(tier)) return { ...decided, tier }
    await this.applied(decided, { isAllowed: false })
    return null
  }

  async applied(record: ApprovalRecord, what: Record<string, unknown>): Promise<void> {
    const { ledger, clock } = this.#options
    await ledger.applied(record, [{ kind: 'sandbox', ...what }], clock.now())
  }
}

function isAllowMeaning(tier: string): tier is AllowMeaning {
  return OPTIONS.some(({ meaning }) => meaning !== 'deny' && meaning === tier)
}

/** Paths and hosts that a person allowed for the whole project, while the same keeper runs. */
interface ProjectGrants {
  /** `<host>:<port>` */
  hosts: string[]
  paths: OpenedPath[]
}

export async function projectGrants(
  ledger: Pick<LedgerPort, 'list' | 'isProven'>,
  project: string,
): Promise<ProjectGrants> {
  const isOurs = (record: ApprovalRecord) =>
    record.source.channel === SANDBOX_CHANNEL &&
    record.subject.project === project &&
    record.decision?.tier === 'allow-always'
  const grants: ProjectGrants = { hosts: [], paths: [] }
  for (const record of (await ledger.list({ isOpenOnly: false })).filter(isOurs)) {
    if (!(await ledger.isProven(record))) continue
    const { tool, input } = record.request
    if (tool === HOST_TOOL) {
      const { host, port } = input as HostRequest
      grants.hosts.push(`${host}:${port}`)
    } else grants.paths.push(openedPathOf(record))
  }
  return grants
}

export function openedPathOf({ request }: ApprovalRecord): OpenedPath {
  const { path } = request.input as { path: string }
  return { path, access: request.tool === PATH_TOOLS.write ? 'write' : 'read' }
}
