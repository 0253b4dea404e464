import { readToolUse } from '../../approvals/index.js'
import { delay, systemClock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Frame, InMilliseconds, Overview, PaneStreamEvent, Run, Session } from '../../server/index.js'
import type { PaneInfo } from '../../supervision/index.js'
import { budgetSentence, isOpenRun, isPausedByBudget, raiseCommand, runNeedsYou, runWord } from '../../text/index.js'
import type { ApprovalInfo } from '../approvals/approval-info.js'
import type { DaemonClient } from '../daemon-client.js'
import type { PaneScreenText } from './detail.js'
import { type CockpitRow, type KnownOfRequest, rowsOf, type StopReason, stopReasonOf, type Work } from './rows.js'

/** How often the screen of the selected pane is read at most. */
const SCREEN_MS = 250
const RECONNECT_MS = 500
/** In a longer file, the line of an edit is not searched. */
const FILE_MAX = 2_000_000
/** Events that may change which panes need the person. */
const TYPES = 'approval.*,run.*,session.paused,session.unpaused,session.budget-set,session.ended'

/**
 * What the daemon has: panes from their stream, requests and the screen of one pane read when the
 * stream says that they changed.
 */
export class LiveData {
  readonly #panes = new Map<string, PaneInfo>()
  readonly #wants: (pane: PaneInfo) => boolean
  readonly #changed: () => void
  #client: DaemonClient
  #requests: ApprovalInfo[] = []
  #runs: ReadonlyMap<string, InMilliseconds<Run>> = new Map()
  #paused: ReadonlyMap<string, StopReason> = new Map()
  /** What was read beside each open request, by its id. */
  #known: ReadonlyMap<string, KnownOfRequest> = new Map()
  #screen: PaneScreenText | null = null
  #previewed: string | null = null
  #isClosed = false

  constructor(client: DaemonClient, wants: (pane: PaneInfo) => boolean, changed: () => void) {
    this.#client = client
    this.#wants = wants
    this.#changed = changed
  }

  /** The daemon was replaced. */
  set client(client: DaemonClient) {
    this.#client = client
  }

  get panes(): readonly PaneInfo[] {
    return [...this.#panes.values()]
  }

  get screen(): PaneScreenText | null {
    return this.#screen
  }

  /** The rows, most urgent first. */
  rows(): CockpitRow[] {
    const now = systemClock.now()
    const runs = [...this.#runs.values()]
      .filter(run => runNeedsYou(run, now))
      .map(run => ({ id: run.id, title: run.title, project: run.project, halt: stopReasonOf(run) }))
    const working = [...this.#runs.values()]
      .filter(run => isOpenRun(run) && !runNeedsYou(run, now))
      .map(run => ({ id: run.id, title: run.title, project: run.project, work: workOf(run) }))
    return rowsOf(this.panes, this.#requests, this.#runs, this.#known, { runs, sessions: this.#paused, working })
  }

  applyEvent({ event, data }: Exclude<InMilliseconds<PaneStreamEvent>, { event: 'notice' | 'heartbeat' }>): void {
    if (event === 'panes') {
      this.#panes.clear()
      for (const pane of data.items) if (this.#wants(pane)) this.#panes.set(pane.id, pane)
    } else if (event === 'gone') this.#panes.delete(data.pane.id)
    else if (this.#wants(data.pane)) this.set(data.pane)
    this.#changed()
  }

  set(pane: PaneInfo): void {
    this.#panes.set(pane.id, pane)
  }

  async refreshRequests(): Promise<void> {
    const { approvals, runs, sessions } = await this.#client.get<Overview>('/overview')
    this.#requests = approvals.filter(({ kind }) => kind !== 'auth') as unknown as ApprovalInfo[]
    this.#runs = new Map(runs.map(run => [run.id, run]))
    this.#paused = new Map(sessions.filter(isPausedByBudget).map(session => [session.id, haltOfSession(session)]))
    await this.#readRequests()
    this.#changed()
  }

  /**
   * The last prompt of the session, and the file that an edit changes, each read once per request;
   * those of closed requests are forgotten.
   */
  async #readRequests(): Promise<void> {
    const known = this.#known
    const read = this.#requests.map(async (request): Promise<[string, KnownOfRequest]> => {
      const { id, subject } = request
      if (known.has(id) || subject.session === undefined) return [id, known.get(id) ?? {}]
      const session = `/sessions/${encodeURIComponent(subject.session)}`
      const path = editedFile(request)
      const [found, file] = await Promise.all([
        this.#client.get<Session>(session).catch(() => null),
        path === null ? null : this.#readText(`${session}/files?path=${encodeURIComponent(path)}`),
      ])
      return [id, { prompt: found?.lastPrompt ?? null, file }]
    })
    this.#known = new Map(await Promise.all(read))
  }

  /** Null for a file that is missing, too long for a diff, or not to be read. */
  async #readText(path: string): Promise<string | null> {
    try {
      const response = await this.#client.download(path)
      if (Number(response.headers['content-length']) > FILE_MAX) {
        response.destroy()
        return null
      }
      return Buffer.concat((await response.toArray()) as Buffer[]).toString('utf8')
    } catch {
      return null
    }
  }

  /** Keeps the screen of this pane up to date until another one is named. */
  preview(pane: string | null): void {
    if (pane === this.#previewed) return
    this.#previewed = pane
    this.#screen = null
    if (pane !== null) void this.#follow(pane)
  }

  /**
   * Reads again what needs the person whenever it may have changed, also after the daemon was
   * replaced.
   */
  async followRequests(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const _ of this.#client.events(`/events?types=${TYPES}`, signal)) await this.refreshRequests()
      } catch (error) {
        if (!(error instanceof SignalboxError && error.code === 'E_DAEMON_GONE')) throw error
      }
      await delay(systemClock, RECONNECT_MS, signal)
    }
  }

  close(): void {
    this.#isClosed = true
    this.#previewed = null
  }

  async #follow(pane: string): Promise<void> {
    while (this.#previewed === pane && !this.#isClosed) {
      const startedAt = systemClock.monotonic()
      const shown = await this.#client
        .get<Frame>(`/panes/${encodeURIComponent(pane)}/frame?format=spans`)
        .catch(() => null)
      if (this.#previewed !== pane || this.#isClosed) return
      const lines = (shown?.lines ?? []) as PaneScreenText['lines']
      const next = shown && { pane, cols: shown.cols, rows: shown.rows, cursor: shown.cursor, lines }
      if (JSON.stringify(next) !== JSON.stringify(this.#screen)) {
        this.#screen = next
        this.#changed()
      }
      // A busy daemon is asked less often.
      await delay(systemClock, Math.max(SCREEN_MS, systemClock.monotonic() - startedAt))
    }
  }
}

function editedFile({ kind, request: { tool, input } }: ApprovalInfo): string | null {
  const use = kind === 'permission' ? readToolUse(tool, input) : null
  return use?.kind === 'write' && use.paths.length === 1 ? use.paths[0]! : null
}

function workOf({ status, startedAt, createdAt, progress }: InMilliseconds<Run>): Work {
  const since = { word: runWord({ status }), since: startedAt ?? createdAt }
  if (!progress) return since
  const unit = progress.unit === 'nodes' ? 'steps' : 'rounds'
  return {
    ...since,
    at: `${progress.node ? `${progress.node} · ` : ''}${progress.done} of ${progress.of} ${unit} done`,
  }
}

function haltOfSession({ number, paused }: InMilliseconds<Session>): StopReason {
  const used = paused!
  return { word: 'paused', why: budgetSentence(used), next: raiseCommand(number, used), since: used.since }
}
