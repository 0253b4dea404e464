import { type AgentReport, type LivePack, type LivePacks, loadAgent } from '../agents/index.js'
import type { Clock, Timer } from '../clock/index.js'
import { type Counters, Pane, type PaneStep, Supervisor, type SupervisorSettings } from '../panes/index.js'
import { contentBytes, type TmuxContent, type TmuxPaneInfo } from '../panes/tmux/index.js'
import { initialMemory } from '../screen/index.js'
import { JoinedConversation } from '../sessions/index.js'
import type { Redactor } from '../text/index.js'
import { type AgentPrograms, isOwnSurface, readJob } from './foreground-job.js'
import { checkTerminalReads } from './terminal-read-check.js'

export interface TmuxPaneOptions {
  id: string
  key: string
  socket: string
  info: TmuxPaneInfo
  clock: Clock
  settings: SupervisorSettings
  packs: LivePacks
  programs: AgentPrograms
  redactor: Redactor
  env: NodeJS.ProcessEnv
  counters: Counters
  changed(): void
  onError(error: unknown): void
}

/** Foreign panes are read, not stored: tmux keeps their history. */
const SCROLLBACK = 2_000

/**
 * A pane that Signalbox did not start: tmux's output in our own emulator, which never answers (tmux
 * does), with the pack of the agent that runs in it. The agent may change at any time; the screen
 * stays.
 */
export class TmuxPane {
  readonly id: string
  readonly key: string
  readonly socket: string
  readonly supervisor: Supervisor
  readonly conversation: JoinedConversation
  readonly #options: TmuxPaneOptions
  readonly #startedAt: number
  readonly #wallStart: number
  #info: TmuxPaneInfo
  #live: LivePack
  #timer: Timer | null = null
  /** When deadlines were last run. */
  #ranAt = Number.NEGATIVE_INFINITY
  #agent: string | null = null
  #choosing: Promise<void> = Promise.resolve()
  #hasContent = false
  #isJobDue = false
  #isOwn = false
  #isClosed = false

  static async open(options: TmuxPaneOptions): Promise<TmuxPane> {
    return new TmuxPane(options, await options.packs.acquire(null))
  }

  private constructor(options: TmuxPaneOptions, live: LivePack) {
    const { id, key, socket, info, clock, settings, counters, onError } = options
    this.id = id
    this.key = key
    this.socket = socket
    this.#options = options
    this.#info = info
    this.#live = live
    this.#startedAt = clock.monotonic()
    this.#wallStart = clock.now()
    this.conversation = new JoinedConversation({ id, clock, onError })
    this.supervisor = new Supervisor(
      new Pane(live.pack, { cols: info.cols, rows: info.rows, scrollback: SCROLLBACK }),
      {
        settings,
        agentPrograms: [...options.programs.keys()],
        counters,
        canCheckReads: true,
        onError,
      },
    )
    this.describe(info)
  }

  get info(): TmuxPaneInfo {
    return this.#info
  }

  /** The pane runs a Signalbox surface: it is not listed, because its panes are listed already. */
  get isOwn(): boolean {
    return this.#isOwn
  }

  get agent(): string | null {
    return this.#agent
  }

  /** Seconds since it was first seen. */
  now(): number {
    return (this.#options.clock.monotonic() - this.#startedAt) / 1000
  }

  wall(t: number): number {
    return this.#wallStart + t * 1000
  }

  describe(info: TmuxPaneInfo): void {
    const t = this.now()
    this.#info = info
    this.readJob()
    this.supervisor.focus(info.isFocused && !info.isInMode, t)
    if (info.dead) this.supervisor.exited({ code: info.dead.status, signal: null }, t)
    this.#schedule(t)
  }

  output(bytes: Uint8Array): void {
    if (!this.#hasContent) return
    const t = this.now()
    this.#isJobDue = true
    this.#applySteps(this.supervisor.pane.feed(bytes, t, { live: false }), t)
  }

  /** Its complete content: a new emulator, so that nothing stale remains. */
  content(content: TmuxContent): void {
    const t = this.now()
    const { pane } = this.supervisor
    const { cols, rows } = content
    pane.ownScreen.reset({ cols, rows, scrollback: SCROLLBACK })
    this.supervisor.resized(t)
    this.conversation.resync()
    this.#hasContent = true
    this.#applySteps(pane.feed(contentBytes(content), t, { live: false }), t)
    if (this.#info.title !== '')
      this.#applySteps(
        pane.feed(Buffer.from(`\u001b]2;${this.#info.title.replace(/\p{Cc}/gu, '')}\u0007`), t, { live: false }),
        t,
      )
  }

  applyReport(report: AgentReport): void {
    const t = this.now()
    this.supervisor.applySteps(this.supervisor.pane.applyReport(report, t), t)
    this.supervisor.recordSignal('hook', report.statement.kind, t)
    this.#schedule(t)
  }

  /** Once a second. */
  tick(): void {
    if (this.#isJobDue) this.readJob()
    this.supervisor.tick(this.now())
    this.#schedule(this.now())
  }

  readJob(): void {
    this.#isJobDue = false
    const { programs, redactor, settings } = this.#options
    const job = readJob(this.#info.pid, this.#info.command, {
      programs,
      redactor,
      commandMax: settings.panes.command_max,
    })
    this.#isOwn = isOwnSurface(this.#info.pid, job)
    this.supervisor.foregroundChanged(job, this.now())
    if (job.agent !== this.#agent) {
      this.#agent = job.agent
      this.#choosing = this.#choosing.then(() => this.#usePack(job.agent)).catch(this.#options.onError)
    }
  }

  /** Resolves when the pack of its program is in use. */
  untilPackChosen(): Promise<void> {
    return this.#choosing
  }

  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
    this.#live.release()
  }

  async #usePack(agent: string | null): Promise<void> {
    const adapter = agent === null ? null : await loadAgent(agent)
    const live = await this.#options.packs.acquire(adapter?.pack ?? null)
    if (this.#isClosed) return live.release()
    const t = this.now()
    const { emulator } = this.supervisor.pane.ownScreen.serialize()
    const pane = new Pane(live.pack, this.#size, { emulator, memory: initialMemory() })
    this.#live.release()
    this.#live = live
    this.supervisor.replace(pane, t)
    if (agent === null) this.conversation.agentLeft()
    else this.conversation.begin(live.pack, pane.screen)
    // A byte that draws nothing: the screen is read again, with the new pack.
    this.#applySteps(pane.feed(Uint8Array.of(0), t, { live: false }), t)
  }

  get #size(): { cols: number; rows: number; scrollback: number } {
    return { cols: this.#info.cols, rows: this.#info.rows, scrollback: SCROLLBACK }
  }

  #applySteps(steps: PaneStep[], t: number): void {
    this.supervisor.applySteps(steps, t)
    for (const step of steps) if (step.type === 'look') this.conversation.observe(step.look)
    this.#schedule(t)
  }

  /** A still screen sends nothing: its deadlines are ours. */
  #schedule(t: number): void {
    if (this.#isClosed) return
    this.#options.changed()
    void this.#checkReads()
    const { pane } = this.supervisor
    const deadlines = [pane.nextDeadline(), this.supervisor.nextDeadline(), this.conversation.nextDeadline()].filter(
      // An overdue deadline still counts, however busy the machine was; one that was run does not.
      at => at !== null && at > this.#ranAt,
    )
    this.#timer?.cancel()
    this.#timer = null
    if (deadlines.length === 0) return
    const due = Math.min(...(deadlines as number[]))
    this.#timer = this.#options.clock.setTimer(Math.max(1, (due - t) * 1000), () => this.#runDeadlines())
  }

  /**
   * A menu is on the screen while the shell reports a running command: check the program itself.
   */
  async #checkReads(): Promise<void> {
    const { env, onError } = this.#options
    const { supervisor } = this
    const isChecked = await checkTerminalReads(
      { supervisor, now: () => this.now(), pid: this.#info.pid },
      { env, onError },
    )
    if (isChecked && !this.#isClosed) this.#options.changed()
  }

  #runDeadlines(): void {
    const t = this.now()
    this.#ranAt = t
    const { pane } = this.supervisor
    const isTickDue = (this.supervisor.nextDeadline() ?? Number.POSITIVE_INFINITY) <= t
    if (isTickDue) this.supervisor.tick(t)
    this.conversation.tick(t)
    this.#applySteps(pane.tick(t), t)
  }
}
