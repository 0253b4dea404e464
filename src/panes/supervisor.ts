import { applyHeuristic } from './apply-heuristic.js'
import { claimOf } from './claims.js'
import { ContentTracker } from './content-tracker.js'
import type { Evidence } from './evidence.js'
import { FocusTracker } from './focus-tracker.js'
import { markStuck, recordProgress } from './follow-progress.js'
import { ForegroundTracker } from './foreground-tracker.js'
import { isListedJob } from './heuristics/index.js'
import type { Job } from './job.js'
import type { Pane, PaneState, PaneStep } from './pane.js'
import type { Look } from './pane-screen.js'
import { ProgressTracker } from './progress.js'
import type { LoggedReport } from './report-log.js'
import { SignalQueue } from './signal-queue.js'
import { type Signal, type SignalSource, signalName } from './signals.js'
import type { StatusEntry } from './status.js'
import type { PaneStatus } from './status-table.js'
import { SupervisedReading } from './supervised-reading.js'
import { SupervisedStatus } from './supervised-status.js'
import {
  evidenceName,
  type SupervisedState,
  type SupervisorOptions,
  type SupervisorSettings,
  sourceOf,
} from './supervisor-parts.js'
import type { TerminalReadResult } from './terminal-read-check.js'

/** A screen that has not changed for this long is idle, unless something runs. In seconds. */
const UNCHANGED_IDLE_S = 10

/**
 * Turns everything known about one pane into its status: reports go through the queue into the
 * reading and the table, time alone through `tick`, and if there are no reports, content heuristics
 * guess. It owns no terminal and no clock: time is data, so a recording, a test and a live pane use
 * the same code.
 */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #settings: SupervisorSettings
  readonly #queue: SignalQueue
  readonly #status: SupervisedStatus
  readonly #content: ContentTracker
  readonly #progress: ProgressTracker
  readonly #focus: FocusTracker
  readonly #foreground: ForegroundTracker
  readonly #reading: SupervisedReading
  #mode: 'auto' | 'off' = 'auto'

  constructor(pane: Pane, options: SupervisorOptions) {
    const { settings, counters } = options
    const { panes } = settings
    this.#options = options
    this.#settings = settings
    this.#applySettings(pane)
    this.#queue = new SignalQueue({
      max: settings.queue.max,
      count: reason => counters.add(reason === 'merged' ? 'queue.merged' : 'queue.dropped', { reason }),
    })
    this.#content = new ContentTracker(settings.heuristics)
    this.#progress = new ProgressTracker({
      afterS: panes.stuck_after_s,
      toolS: panes.stuck_tool_s,
      frozenS: panes.stuck_frozen_s,
    })
    this.#focus = new FocusTracker(panes.focus_debounce_s)
    this.#foreground = new ForegroundTracker()
    const parts = { content: this.#content, progress: this.#progress }
    this.#status = new SupervisedStatus(pane, options, parts)
    this.#reading = new SupervisedReading(options, { status: this.#status, ...parts })
  }

  get pane(): Pane {
    return this.#status.pane
  }

  get job(): Job | null {
    return this.#foreground.job
  }

  get status(): PaneStatus {
    return this.#status.state.status
  }

  /** Grows with every change of the status. */
  get stateId(): number {
    return this.#status.state.stateId
  }

  get history(): readonly StatusEntry[] {
    return this.#status.history
  }

  /** Every report of the last hour. */
  reports(t: number): LoggedReport[] {
    return this.#status.log.entries(t)
  }

  // — input —

  /** Takes the outputs of the pane's bytes, or of its agent's reports. */
  applySteps(steps: readonly PaneStep[], t: number): void {
    for (const step of steps) {
      if (step.type === 'evidence')
        this.#offer(sourceOf(step.evidence), evidenceName(step.evidence), step.evidence.t, { evidence: step.evidence })
      if (step.type === 'look') this.#offer('screen', step.state.view, step.look.t, { step })
    }
    this.drain(t)
  }

  /**
   * Something that is not evidence by itself: a hook's tool result, a resize, a person's interrupt.
   */
  recordSignal(source: SignalSource, name: string, t: number): void {
    this.#offer(source, name, t, {})
    this.drain(t)
  }

  resized(t: number): void {
    this.#content.resized(t)
  }

  /** Records the program in the foreground; `null` if unknown. */
  foregroundChanged(job: Job | null, t: number): void {
    const change = this.#foreground.foregroundChanged(job, t)
    if (change === 'same') return
    this.pane.programChanged()
    if (change === 'shell') this.pane.programEnded()
    this.#reading.readAgain(t)
    this.#endReturned(t)
  }

  /**
   * Another program has replaced the one in the pane: everything known about the old one is
   * dropped, and its work ends. A shell's command that has started an agent has not ended: its work
   * stays open until the agent is idle.
   */
  replace(pane: Pane, t: number): void {
    const isAgentStarted = this.pane.pack.agent === 'generic' && pane.pack.agent !== 'generic'
    this.#status.pane = pane
    this.#applySettings(pane)
    this.#status.generation++
    this.#queue.renew(this.#status.generation)
    this.#content.forget()
    this.#status.forgetReading()
    if (!isAgentStarted) pane.programEnded()
    if (isAgentStarted && this.#status.isActive) this.#status.starting()
    else if (this.#status.isActive) this.#status.apply('finish-ok', 'shell', t, 'process/replaced', { isReading: true })
  }

  focus(isFocused: boolean, t: number): void {
    this.#focus.set(isFocused, t)
  }

  seen(t: number): void {
    this.#offer('user', 'click', t, {})
    this.drain(t)
  }

  clear(t: number): void {
    this.#offer('user', 'clear', t, {})
    this.drain(t)
  }

  /** Whether an approval of this pane is pending in the ledger. */
  setPending(isPending: boolean): void {
    this.#status.isPending = isPending
  }

  /** Applies changed settings. */
  applySettings(): void {
    this.#applySettings(this.pane)
  }

  setHeuristics(mode: 'auto' | 'off'): void {
    this.#mode = mode
  }

  exited(exit: { code: number | null; signal: string | null }, t: number): void {
    this.pane.exited(exit, t)
    const evidence: Evidence = { authority: 'exit', claim: { is: 'exited', ...exit }, t, expires: null, ref: 'exit' }
    this.#offer('process', 'exit', t, { evidence })
    this.drain(t)
  }

  // — time —

  /**
   * Call it once a second, and at `nextDeadline`. A task that fails does not prevent the others.
   */
  tick(t: number): void {
    const tasks = [
      () => this.drain(t),
      () => this.#reading.count(t),
      () => this.#status.tick(t),
      () => this.#reading.readAgain(t),
      () => this.#readForeground(t),
      () => this.#endReturned(t),
      () => this.#status.endWait(t),
      () => markStuck(t, { status: this.#status, progress: this.#progress, counters: this.#options.counters }),
      () => this.#markSeen(t),
      () => this.#guess(null, t),
    ]
    for (const task of tasks) {
      try {
        task()
      } catch (error) {
        this.#options.onError(error)
      }
    }
  }

  /**
   * Nothing runs, and nothing was drawn for a while: only output, input or a report can change it,
   * and none of them waits for a tick. Ticks may then be rare.
   */
  isIdle(t: number): boolean {
    const look = this.pane.screen.last
    return !this.#status.isActive && !this.#foreground.isReturnPending && look !== null && t - look.t > UNCHANGED_IDLE_S
  }

  /**
   * Times that a tick each second would miss: focus counts after a fraction of a second, a menu
   * over a command one second after it appeared. A wait ends and work becomes long at an exact
   * time, so that a recording and its live session say the same at every byte.
   */
  nextDeadline(): number | null {
    const deadlines = [this.#focus.nextDeadline(), this.pane.readCheckDeadline(), this.#status.nextDeadline()].filter(
      at => at !== null,
    )
    return deadlines.length === 0 ? null : Math.min(...deadlines)
  }

  /**
   * Whether the owner should check now if the program reads its terminal, and then call
   * `applyReadCheck`.
   */
  isReadCheckDue(t: number): boolean {
    return this.pane.isReadCheckDue(t) || this.#isShellCheckDue(t)
  }

  applyReadCheck(result: TerminalReadResult, t: number): void {
    this.#reading.applyReadCheck(result, t)
    // A shell that reads its terminal is at its prompt, whatever the prompt looks like.
    if (result.reads !== 'no') this.#endReturned(t, { isShellReading: true })
  }

  // — state —

  state(t: number): SupervisedState {
    const { state } = this.#status
    const { reading } = this.pane.state(t)
    return {
      ...state,
      generation: this.#status.generation,
      ...this.#status.shownAt(t),
      claim: reading.claim,
      authority: reading.authority,
      rule: reading.rule,
      confidence: reading.confidence,
      staleFor: this.#reading.staleFor(t),
      contradictions: reading.contradictions.length,
      flicker: this.#status.flickers,
      heuristics: this.#heuristics,
      ineligible: this.#content.ineligible,
    }
  }

  /** Processes the queue, including signals that follow from others. */
  drain(t: number): void {
    for (let signals = this.#queue.drain(); signals.length > 0; signals = this.#queue.drain())
      for (const signal of signals) {
        try {
          this.#handle(signal, t)
        } catch (error) {
          this.#options.onError(error)
        }
      }
  }

  // — internal —

  /** The heuristics can be off for all panes, for the pane's agent, or for this pane. */
  get #heuristics(): 'auto' | 'off' {
    const { heuristics, agents } = this.#settings
    const agent = this.job?.agent ?? this.pane.pack.agent
    return heuristics.mode === 'off' || agents[agent]?.heuristics === 'off' ? 'off' : this.#mode
  }

  /** Settings that the pane itself needs. */
  #applySettings(pane: Pane): void {
    const { osc7501, reading } = this.#settings
    pane.usesStatusReports = osc7501.enabled
    pane.canCheckReads = this.#options.canCheckReads === true
    pane.screen.settleBy({
      looks: reading.settle_looks,
      gapS: reading.settle_gap_ms / 1000,
      maxS: reading.settle_max_ms / 1000,
    })
  }

  /** The shell has reported that a command runs, and not yet that it has ended. */
  #isMarked(t: number): boolean {
    return this.pane.unexpired(t).some(({ authority, claim }) => authority === 'shell' && claim.is === 'working')
  }

  #offer(source: SignalSource, name: string, t: number, data: Signal['data']): void {
    this.#queue.push({ source, name, t, generation: this.#status.generation, data })
  }

  #handle(signal: Signal, now: number): void {
    const { source, t, data } = signal
    if (data.evidence !== undefined) return this.#reading.applyEvidence(data.evidence as Evidence, now)
    if (data.step !== undefined) return this.#observe((data.step as PaneStep & { type: 'look' }).state, t)
    if (source === 'hook' || source === 'transcript') {
      this.#progress.progressed(t)
      this.#status.log.add({ t, source: source, says: signal.name, ref: signalName(signal), effect: 'progress' })
      // The agent has exited: its work is over, neither succeeded nor failed.
      if (signal.name === 'ended') this.#status.apply('idle', source, t, signalName(signal), { isReading: true })
      return
    }
    switch (signalName(signal)) {
      case 'content.update':
        return this.#status.contentChanged(t)
      case 'user.focus':
      case 'user.click':
        this.#status.apply('seen', 'user', t, signalName(signal))
        return
      case 'user.clear':
        this.#status.apply('clear', 'user', t, signalName(signal))
        this.#content.suppress()
        this.#reading.clear()
        return
    }
  }

  #observe(state: PaneState, t: number): void {
    const { look } = state
    if (!look) return
    if (recordProgress(look, t, { content: this.#content, progress: this.#progress }))
      this.#offer('content', 'update', t, {})
    if (!this.#status.isActive && this.#content.isTyping) this.#status.acted(t)
    this.#endReturned(t)
    this.#reading.applyLook(state, t)
    if (look.isSettled && look.observation.view === 'idle_prompt') this.#content.learnPrompt()
    this.#guess(look.frame, t)
  }

  /**
   * If neither the screen nor a report says anything, the program in the foreground is the only
   * evidence.
   */
  #readForeground(t: number): void {
    const look = this.pane.screen.last
    if (!look || claimOf(look.observation) !== null) return
    if (this.pane.unexpired(t).some(({ authority }) => authority !== 'structure')) return
    const { settings, agentPrograms } = this.#options
    const evidence = this.#foreground.evidence(t, ({ names }) => isListedJob(names, settings.heuristics, agentPrograms))
    if (!evidence) return
    this.pane.report(evidence)
    this.#reading.applyEvidence(evidence, t)
  }

  /**
   * A program has ended without a mark or a report: work that no better source started is over,
   * its result is unknown. A shell that marks its commands reports the end itself.
   */
  #endReturned(t: number, { isShellReading = false } = {}): void {
    if (!this.#foreground.isReturnPending || this.#isMarked(t)) return
    if (!isShellReading && !this.#isAtPrompt) return
    this.#foreground.confirmReturn()
    if (this.#status.isActive) this.#status.apply('finish-ok', 'shell', t, 'process/back-to-shell')
  }

  get #isAtPrompt(): boolean {
    const look = this.pane.screen.last
    if (!look?.isConfirmed || look.observation.busy === true) return false
    return look.observation.view === 'idle_prompt' || this.#content.isAtPrompt
  }

  /** The shell is back, and neither its prompt nor anything else on the screen can be read. */
  #isShellCheckDue(t: number): boolean {
    if (this.#options.canCheckReads !== true || !this.#status.isActive || this.#isMarked(t)) return false
    const look = this.pane.screen.last
    return look !== null && claimOf(look.observation) === null && this.#foreground.isCheckDue(t)
  }

  #guess(frame: Look['frame'] | null, t: number): void {
    const { agentPrograms, counters } = this.#options
    const guess = this.#content.guess(frame, t, {
      pane: this.pane,
      job: this.job,
      agentPrograms,
      mode: this.#heuristics,
      status: this.#status.state.status,
    })
    if (!guess) return
    const job = this.job?.name ?? 'none'
    const isApplied = applyHeuristic(guess, t, { job, status: this.#status, progress: this.#progress, counters })
    if (!isApplied) return
    this.#content.applied(guess.emitted!)
    this.#reading.noteReport(t)
  }

  #markSeen(t: number): void {
    if (!this.#focus.isLooking(t)) return
    const { status, seen } = this.#status.state
    if (!seen && (status === 'done' || status === 'failed' || status === 'waiting-approval'))
      this.#status.apply('seen', 'user', t, 'user.focus')
  }
}
