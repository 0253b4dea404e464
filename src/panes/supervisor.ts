import { ContentWatch } from './content-watch.js'
import type { Evidence } from './evidence.js'
import { FocusWatch } from './focus-watch.js'
import { followLook, markStuck } from './follow-progress.js'
import { ForegroundWatch } from './foreground-watch.js'
import { heedGuess } from './heed-guess.js'
import type { Job } from './job.js'
import type { TerminalWitness } from './menu-witness.js'
import type { Pane, PaneState, PaneStep } from './pane.js'
import type { Look } from './pane-screen.js'
import { ProgressWatch } from './progress.js'
import type { LoggedReport } from './report-log.js'
import { SignalQueue } from './signal-queue.js'
import { type Signal, type SignalSource, signalName } from './signals.js'
import type { StatusEntry } from './status.js'
import { SupervisedReading } from './supervised-reading.js'
import { SupervisedStatus } from './supervised-status.js'
import {
  nameOf,
  type Supervised,
  type SupervisorOptions,
  type SupervisorSettings,
  sourceOf,
} from './supervisor-parts.js'

/**
 * Everything that is known about one pane, turned into its status: reports go through the queue into the reading and the table, time alone
 * through `tick`, and where nobody reports, content heuristics guess. It owns no terminal and no clock: time is data, so a recording, a
 * test and a live pane run through the same code.
 */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #settings: SupervisorSettings
  readonly #queue: SignalQueue
  readonly #status: SupervisedStatus
  readonly #content: ContentWatch
  readonly #progress: ProgressWatch
  readonly #focus: FocusWatch
  readonly #foreground: ForegroundWatch
  readonly #reading: SupervisedReading
  #mode: 'auto' | 'off' = 'auto'

  constructor(pane: Pane, options: SupervisorOptions) {
    const { settings, counters } = options
    const { panes } = settings
    this.#options = options
    this.#settings = settings
    this.#tune(pane)
    this.#queue = new SignalQueue({
      max: settings.queue.max,
      count: reason => counters.add(reason === 'merged' ? 'queue.merged' : 'queue.dropped', { reason }),
    })
    this.#content = new ContentWatch(settings.heuristics)
    this.#progress = new ProgressWatch({
      afterS: panes.stuck_after_s,
      toolS: panes.stuck_tool_s,
      frozenS: panes.stuck_frozen_s,
    })
    this.#focus = new FocusWatch(panes.focus_debounce_s)
    this.#foreground = new ForegroundWatch(settings.heuristics.jobs)
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

  // — what comes in —

  /** What came out of the pane's bytes, or of its agent's words. */
  take(steps: readonly PaneStep[], t: number): void {
    for (const step of steps) {
      if (step.type === 'evidence')
        this.#offer(sourceOf(step.evidence), nameOf(step.evidence), step.evidence.t, { evidence: step.evidence })
      if (step.type === 'look') this.#offer('screen', step.state.view, step.look.t, { step })
    }
    this.drain(t)
  }

  /** Something that is no evidence by itself: a hook's tool result, a resize, a person's interrupt. */
  note(source: SignalSource, name: string, t: number): void {
    this.#offer(source, name, t, {})
    this.drain(t)
  }

  resized(t: number): void {
    this.#content.resized(t)
  }

  /** The program in the foreground; `null` where nobody tells. */
  runs(job: Job | null, t: number): void {
    if (!this.#foreground.runs(job, t)) return
    this.#offer('process', 'returned', t, {})
    this.drain(t)
  }

  /** Another program has taken the pane: what was known of the old one is gone, its run is over. */
  replace(pane: Pane, t: number): void {
    this.#status.pane = pane
    this.#tune(pane)
    this.#status.generation++
    this.#queue.renew(this.#status.generation)
    this.#content.forget()
    this.#status.forgetReading()
    if (this.#status.isActive) this.#status.apply('finish-ok', 'shell', t, 'process/replaced', { isReading: true })
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

  /** An approval of this pane waits in the ledger, or no more. */
  setPending(isPending: boolean): void {
    this.#status.isPending = isPending
  }

  /** A switch in the settings was turned. */
  retune(): void {
    this.#tune(this.pane)
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

  /** Once a second, and at `nextDeadline`. A task that fails does not keep the others from their turn. */
  tick(t: number): void {
    const tasks = [
      () => this.drain(t),
      () => this.#reading.count(t),
      () => this.#status.tick(t),
      () => this.#reading.again(t),
      () => this.#readForeground(t),
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

  /** Times that a tick each second would miss: focus counts after a fraction of one, a menu over a command after one since it came up. */
  nextDeadline(): number | null {
    const deadlines = [this.#focus.nextDeadline(), this.pane.witnessDeadline()].filter(at => at !== null)
    return deadlines.length === 0 ? null : Math.min(...deadlines)
  }

  /** Asked by who can see the program: is it to be looked at now whether it reads its terminal? Then `witness` is to be called. */
  isWitnessDue(t: number): boolean {
    return this.pane.isWitnessDue(t)
  }

  witness(witness: TerminalWitness, t: number): void {
    this.#reading.witness(witness, t)
  }

  // — what it is —

  state(t: number): Supervised {
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
      gate: this.#content.gateReason,
    }
  }

  /** Works off what waits. */
  drain(t: number): void {
    for (const signal of this.#queue.drain()) {
      try {
        this.#handle(signal, t)
      } catch (error) {
        this.#options.onError(error)
      }
    }
  }

  // — inside —

  /** The heuristics can be off for all panes, for the pane's agent, or for this pane. */
  get #heuristics(): 'auto' | 'off' {
    const { heuristics, agents } = this.#settings
    const agent = this.job?.agent ?? this.pane.pack.agent
    return heuristics.mode === 'off' || agents[agent]?.heuristics === 'off' ? 'off' : this.#mode
  }

  /** Knobs that the pane itself needs. */
  #tune(pane: Pane): void {
    const { osc7501, reading } = this.#settings
    pane.hearsStatus = osc7501.enabled
    pane.isWitnessed = this.#options.isWitnessed === true
    pane.screen.settleBy({
      looks: reading.settle_looks,
      gapS: reading.settle_gap_ms / 1000,
      maxS: reading.settle_max_ms / 1000,
    })
  }

  /** The shell has said that a command runs, and not yet that it has ended. */
  #isMarked(t: number): boolean {
    return this.pane.standing(t).some(({ authority, claim }) => authority === 'shell' && claim.is === 'working')
  }

  #offer(source: SignalSource, name: string, t: number, data: Signal['data']): void {
    this.#queue.push({ source, name, t, generation: this.#status.generation, data })
  }

  #handle(signal: Signal, now: number): void {
    const { source, t, data } = signal
    if (data.evidence !== undefined) return this.#reading.hear(data.evidence as Evidence, now)
    if (data.step !== undefined) return this.#see((data.step as PaneStep & { type: 'look' }).state, t)
    if (source === 'hook' || source === 'transcript') {
      this.#progress.progressed(t)
      this.#status.log.add({ t, source: source, says: signal.name, ref: signalName(signal), effect: 'progress' })
      // The agent has left: whatever it was doing is over, and nobody ended it well or badly.
      if (signal.name === 'ended') this.#status.apply('rest', source, t, signalName(signal), { isReading: true })
      return
    }
    switch (signalName(signal)) {
      case 'content.update':
        return this.#status.contentChanged(t)
      case 'process.returned':
        // No mark and no word: a run that nobody better began has ended, how is unknown. A shell that marks its commands says so itself; the
        // programs of one command come and go.
        if (this.#status.isActive && !this.#isMarked(t))
          this.#status.apply('finish-ok', 'shell', t, 'process/back-to-shell')
        return
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

  #see(state: PaneState, t: number): void {
    const { look } = state
    if (!look) return
    if (followLook(look, t, { content: this.#content, progress: this.#progress }))
      this.#offer('content', 'update', t, {})
    if (!this.#status.isActive && this.#content.isTyping) this.#status.acted(t)
    this.#reading.see(state, t)
    if (look.isSettled && look.observation.view === 'idle_prompt') this.#content.learnPrompt()
    this.#guess(look.frame, t)
  }

  /** Nobody has ever said a word: the program in the foreground speaks by being there. */
  #readForeground(t: number): void {
    if (this.pane.state(t).reading.claim !== null || this.pane.screen.last === null) return
    const evidence = this.#foreground.evidence(t)
    if (!evidence) return
    this.pane.report(evidence)
    this.#reading.hear(evidence, t)
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
    const hasSpoken = heedGuess(guess, t, { job, status: this.#status, progress: this.#progress, counters })
    if (hasSpoken) this.#reading.noteHeard(t)
  }

  #markSeen(t: number): void {
    if (!this.#focus.isLooking(t)) return
    const { status, seen } = this.#status.state
    if (!seen && (status === 'done' || status === 'failed' || status === 'waiting-approval'))
      this.#status.apply('seen', 'user', t, 'user.focus')
  }
}
