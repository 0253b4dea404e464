import { homedir } from 'node:os'
import { join } from 'node:path'
import type { AgentReport } from '../../agents/index.js'
import type { ApprovalRecord } from '../../approvals/index.js'
import { isEvent } from '../../events/index.js'
import type { PaneOutput } from '../../panes/index.js'
import {
  candidatesIn,
  canOpenPaths,
  closePath,
  type OpenedPath,
  openPath,
  type PathCandidate,
  type Refusal,
  refusalOf,
} from '../../sandbox/index.js'
import type { SessionRecord } from '../../sessions/index.js'
import { guardRepository } from '../guard-repository.js'
import { type PathRequester, pathInput, toolCandidates } from './refused-paths.js'
import {
  type AllowMeaning,
  openedPathOf,
  PATH_TOOLS,
  type SandboxedSession,
  SandboxRequests,
  type SandboxRequestsOptions,
} from './sandbox-requests.js'

interface PathsOptions extends SandboxRequestsOptions {
  /** Contains a directory for each session. */
  directory: string
  onError(error: unknown): void
}

/** A program that prints many errors does not fill the ledger. */
const PENDING_MAX = 5
const ASKED_MAX = 50

/**
 * Paths that the sandboxes of sessions refuse. A refusal that a tool or the screen reports becomes
 * a request in the ledger; if a person allows the path, it appears in the running sandbox.
 */
export class SessionPaths {
  readonly #options: PathsOptions
  readonly #requests: SandboxRequests
  readonly #open = new Map<string, SandboxPaths>()

  constructor(options: PathsOptions) {
    this.#options = options
    this.#requests = new SandboxRequests(options)
  }

  /** Also for a session that was taken over: its requests wait, and what was allowed once ends. */
  async open(record: SessionRecord): Promise<void> {
    const { paths, backend } = record.sandbox ?? {}
    if (!paths || this.#open.has(record.id)) return
    const canOpen = (backend === 'auto' || backend === 'bubblewrap') && canOpenPaths(process.env.PATH)
    const options = { ...this.#options, requests: this.#requests, paths, canOpen }
    const opened = new SandboxPaths(record, options)
    this.#open.set(record.id, opened)
    await opened.restore()
  }

  report(id: string, report: AgentReport): void {
    this.#open.get(id)?.report(report)
  }

  outputs(id: string, outputs: readonly PaneOutput[], isLive: boolean): void {
    this.#open.get(id)?.outputs(outputs, isLive)
  }

  close(id: string): void {
    this.#open.get(id)?.close()
    this.#open.delete(id)
  }

  closeAll(): void {
    for (const paths of this.#open.values()) paths.close()
  }
}

interface SandboxPathsOptions extends PathsOptions {
  requests: SandboxRequests
  paths: NonNullable<NonNullable<SessionRecord['sandbox']>['paths']>
  /** A path can be shown while the sandbox runs. */
  canOpen: boolean
}

/** The paths of one sandbox. */
class SandboxPaths {
  readonly #session: SessionRecord
  readonly #options: SandboxPathsOptions
  /** Asked about, allowed or denied: by access and path. */
  readonly #known = new Set<string>()
  readonly #ended = new AbortController()
  readonly #endGuard: () => void
  #pending = 0
  #asked = 0
  /** The lines of the last frame, and how often each is there. */
  #lines: ReadonlyMap<string, number> = new Map()
  /** Mounts happen one after the other. */
  #mounting: Promise<unknown> = Promise.resolve()

  constructor(session: SessionRecord, options: SandboxPathsOptions) {
    this.#session = session
    this.#options = options
    this.#endGuard = guardRepository(session.cwd, options.onError)
  }

  /** Continues what an earlier host had asked and opened. */
  async restore(): Promise<void> {
    const tools: readonly string[] = Object.values(PATH_TOOLS)
    const records = (await this.#options.ledger.list({ isOpenOnly: false })).filter(
      ({ subject, request }) => subject.session === this.#session.id && tools.includes(request.tool),
    )
    for (const record of records) {
      const opened = openedPathOf(record)
      this.#known.add(keyOf(opened))
      this.#asked++
      if (record.state === 'pending' || record.state === 'decided') this.#follow(record, opened)
      else if (record.state === 'applied' && record.decision?.tier === 'allow-once')
        this.#closeAfterTurn(opened, await this.#options.store.head())
    }
  }

  close(): void {
    this.#ended.abort()
    this.#endGuard()
  }

  report({ statement }: AgentReport): void {
    if (statement.kind !== 'tool' || statement.state === 'started' || statement.state === 'denied') return
    const { tool, input, output = '', state } = statement
    const { candidates, by } = toolCandidates({ tool, input, output, isFailed: state === 'failed' })
    for (const candidate of candidates) this.#addCandidate(candidate, by)
  }

  /** A line that stays on the screen counts once; what was read before counted then. */
  outputs(outputs: readonly PaneOutput[], isLive: boolean): void {
    for (const output of outputs) {
      if (output.type !== 'look') continue
      const lines = new Map<string, number>()
      for (const line of wholeLines(output.look.frame.lines)) {
        const count = (lines.get(line) ?? 0) + 1
        lines.set(line, count)
        if (isLive && count > (this.#lines.get(line) ?? 0))
          for (const candidate of candidatesIn(line)) this.#addCandidate(candidate, {})
      }
      this.#lines = lines
    }
  }

  #addCandidate(candidate: PathCandidate, by: PathRequester): void {
    const { paths, onError } = this.#options
    if (this.#pending >= PENDING_MAX || this.#asked >= ASKED_MAX || this.#ended.signal.aborted) return
    const refusal = refusalOf(candidate, paths, this.#session.agentVariables?.HOME ?? homedir())
    if (!refusal || this.#known.has(keyOf(refusal))) return
    this.#known.add(keyOf(refusal))
    this.#asked++
    void this.#raise(refusal, by).catch(onError)
  }

  async #raise(refusal: Refusal, by: PathRequester): Promise<void> {
    const { requests, canOpen } = this.#options
    const { path, access } = refusal
    const input = pathInput(refusal, { commandLine: this.#commandLine, ...by }, canOpen)
    const meanings: readonly AllowMeaning[] | null = canOpen ? null : ['allow-always']
    const record = await requests.raise(this.#asker, {
      tool: PATH_TOOLS[access],
      name: keyOf(refusal),
      input,
      ...(meanings && { meanings }),
    })
    this.#follow(record, { path, access })
  }

  #follow(record: ApprovalRecord, opened: OpenedPath): void {
    const { requests, canOpen, onError } = this.#options
    this.#pending++
    void requests
      .allowed(record, this.#ended.signal)
      .then(async allowed => {
        if (!allowed) return
        // A turn that ends while the path is opened is the one that it was allowed for.
        const after = await this.#options.store.head()
        const problem = canOpen ? await this.#show(opened) : 'it takes effect when the agent is started again'
        const evidence = { ...opened, ...(problem !== null && { problem }) }
        // For the project it holds from the next start on.
        if (problem !== null && allowed.tier !== 'allow-always')
          return void (await this.#options.ledger.stale(allowed, 'gone', [{ kind: 'sandbox', ...evidence }]))
        await requests.applied(allowed, evidence)
        if (allowed.tier === 'allow-once') this.#closeAfterTurn(opened, after)
      })
      .catch(onError)
      .finally(() => this.#pending--)
  }

  /** Null if it is visible now; otherwise why not. */
  #show(opened: OpenedPath): Promise<string | null> {
    const directory = join(this.#options.directory, this.#session.id)
    const showing = this.#mounting.then(() => openPath(this.#session.pid, directory, opened))
    this.#mounting = showing.catch(() => undefined)
    return showing.then(
      () => null,
      (error: unknown) => (error as Error).message,
    )
  }

  /** Allowed once: until the agent's turn ends, or the next one if it waits. */
  #closeAfterTurn(opened: OpenedPath, after: number): void {
    const { store, onError } = this.#options
    const { id, pid } = this.#session
    const subscription = store.subscribe({ after, types: ['turn.closed'], onError }, events => {
      if (!events.some(event => isEvent(event, 'turn.closed') && event.data.session === id)) return
      subscription.close()
      this.#known.delete(keyOf(opened))
      this.#mounting = this.#mounting.then(() => closePath(pid, opened.path)).catch(onError)
    })
    this.#ended.signal.addEventListener('abort', () => subscription.close(), { once: true })
  }

  get #commandLine(): string {
    const { agent, args } = this.#session
    return (agent === 'generic' ? args : [agent, ...args]).join(' ')
  }

  get #asker(): SandboxedSession {
    const { id, agent, project, cwd } = this.#session
    return { id, agent, project, cwd }
  }
}

function keyOf({ path, access }: OpenedPath): string {
  return `${access} ${path}`
}

/** Lines as the program printed them: the terminal breaks those that are too wide. */
function wholeLines(rows: readonly { text: string; wrapped: boolean }[]): string[] {
  const lines: string[] = []
  for (const { text, wrapped } of rows) {
    if (wrapped && lines.length > 0) lines[lines.length - 1] += text
    else lines.push(text)
  }
  return lines
}
