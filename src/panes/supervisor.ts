import { ContentWatch } from './content-watch.js'
import { type Claim, type Evidence, rankOf } from './evidence.js'
import { FocusWatch } from './focus-watch.js'
import { heedGuess } from './heed-guess.js'
import type { Job } from './job.js'
import type { Pane, PaneState, PaneStep } from './pane.js'
import type { Look } from './pane-screen.js'
import { ProgressWatch } from './progress.js'
import type { LoggedReport } from './report-log.js'
import { SignalQueue } from './signal-queue.js'
import { type Signal, type SignalSource, signalName } from './signals.js'
import type { StatusEntry } from './status.js'
import { SupervisedStatus } from './supervised-status.js'
import {
  effectOf,
  isOneRank,
  nameOf,
  type Supervised,
  type SupervisorOptions,
  type SupervisorSettings,
  says,
  sourceOf,
} from './supervisor-parts.js'

/** A program in the foreground counts when it has been there for so long. */
const FOREGROUND_STANDS_S = 1

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
  #job: Job | null = null
  /** Since when this very program has the terminal. */
  #jobSince = Number.NEGATIVE_INFINITY
  #isCleared = false
  #mode: 'auto' | 'off' = 'auto'
  #heardAt = 0
  #countedAt = 0

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
    this.#status = new SupervisedStatus(pane, options, { content: this.#content, progress: this.#progress })
  }

  get pane(): Pane {
    return this.#status.pane
  }

  get job(): Job | null {
    return this.#job
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
    const before = this.#job
    this.#job = job
    if (before?.pid !== job?.pid || before?.name !== job?.name) this.#jobSince = t
    if (!before || !job || before.name === job.name) return
    if (!before.isShell && job.isShell) this.#offer('process', 'returned', t, {})
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
      () => this.#countAuthority(t),
      () => this.#status.tick(t),
      () => this.#readAgain(t),
      () => this.#readForeground(t),
      () => this.#status.endWait(t),
      () => this.#markStuck(t),
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

  /** Times that a tick each second would miss: focus counts after a fraction of one. */
  nextDeadline(): number | null {
    return this.#focus.nextDeadline()
  }

  // — what it is —

  state(t: number): Supervised {
    const { state } = this.#status
    const { reading } = this.pane.state(t)
    const isUnheard = this.pane.standing(t).length === 0 && t - this.#heardAt >= this.#settings.reading.stale_s
    return {
      ...state,
      generation: this.#status.generation,
      ...this.#status.shownAt(t),
      claim: reading.claim,
      authority: reading.authority,
      rule: reading.rule,
      confidence: reading.confidence,
      staleFor: isUnheard ? t - this.#heardAt : null,
      contradictions: reading.contradictions.length,
      flicker: this.#status.flickers,
      heuristics: this.#settings.heuristics.mode === 'off' ? 'off' : this.#mode,
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

  /** Knobs that the pane itself needs. */
  #tune(pane: Pane): void {
    const { osc7501, reading } = this.#settings
    pane.hearsStatus = osc7501.enabled
    pane.screen.settleBy({
      looks: reading.settle_looks,
      gapS: reading.settle_gap_ms / 1000,
      maxS: reading.settle_max_ms / 1000,
    })
  }

  #offer(source: SignalSource, name: string, t: number, data: Signal['data']): void {
    this.#queue.push({ source, name, t, generation: this.#status.generation, data })
  }

  #handle(signal: Signal, now: number): void {
    const { source, t, data } = signal
    if (data.evidence !== undefined) return this.#hear(data.evidence as Evidence, now)
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
        // No mark and no word: a run that nobody better began has ended, how is unknown.
        if (this.#status.isActive) this.#status.apply('finish-ok', 'shell', t, 'process/back-to-shell')
        return
      case 'user.focus':
      case 'user.click':
        this.#status.apply('seen', 'user', t, signalName(signal))
        return
      case 'user.clear':
        this.#status.apply('clear', 'user', t, signalName(signal))
        this.#content.suppress()
        // What was said before counts no more; the next word does, even if it is the same.
        this.#isCleared = true
        return
    }
  }

  /** One report. It speaks for the pane only if nothing higher does; which of two in one breath came last must not decide. */
  #hear(evidence: Evidence, now: number): void {
    const { authority, claim, t, ref } = evidence
    this.#heardAt = Math.max(this.#heardAt, t)
    if (authority === 'shell') this.#content.heardShell(t)
    if (authority === 'hook' || authority === 'transcript' || authority === 'osc7501') this.#progress.progressed(t)
    const top = this.pane.standing(now)[0]
    const isLower =
      top !== undefined && rankOf(authority) > rankOf(top.authority) + (isOneRank(authority, top.authority) ? 1 : 0)
    if (isLower) {
      const isSame = top.claim.is === claim.is
      if (!isSame) this.#options.counters.add('reading.contradiction', { won: top.authority, lost: authority })
      this.#status.log.add({
        t,
        source: authority,
        says: says(claim),
        ref,
        effect: isSame ? 'agrees' : `lost to ${top.authority}`,
      })
      return
    }
    if (this.#isCleared) this.#status.forgetReading()
    this.#isCleared = false
    const entry = this.#status.read({ claim, authority, ref }, this.pane.state(now), t)
    this.#status.log.add({ t, source: authority, says: says(claim), ref, effect: effectOf(entry) })
  }

  #see(state: PaneState, t: number): void {
    const { look, reading } = state
    if (!look) return
    this.#heardAt = Math.max(this.#heardAt, look.isBelieved && look.observation.view !== 'unknown' ? t : 0)
    this.#followProgress(look, t)
    if (!this.#status.isActive && this.#content.isTyping) this.#status.acted(t)
    if (look.isBelieved) {
      const { authority, rule } = reading
      const isOwn = authority === 'screen' || authority === 'structure'
      const entry = this.#status.read({ claim: reading.claim, authority, ref: rule }, state, t)
      if (entry || isOwn)
        this.#status.log.add({
          t,
          source: isOwn ? authority : look.observation.anchored ? 'screen' : 'structure',
          says: isOwn ? says(reading.claim) : look.observation.view,
          ref: look.observation.rule,
          effect: entry ? effectOf(entry) : 'agrees',
        })
    }
    if (look.isSettled && look.observation.view === 'idle_prompt') this.#content.learnPrompt()
    this.#guess(look.frame, t)
  }

  /** A rest is believed late, a lapse comes with time alone: the reading is asked again. */
  #readAgain(t: number): void {
    const state = this.pane.state(t)
    if (state.look && !state.look.isBelieved) return
    const { claim, authority, rule } = state.reading
    this.#status.read({ claim, authority, ref: rule }, state, t)
  }

  /** Nobody has ever said a word, and a program other than the shell has the terminal: it was started before anybody watched. */
  #readForeground(t: number): void {
    const job = this.#job
    if (!job || job.isShell || job.agent !== null || job.name === null) return
    // A program that only starts another one in its place, as env and exec do, is gone again at once.
    if (t - this.#jobSince < FOREGROUND_STANDS_S) return
    // Listed programs are read by what they print.
    if (this.#settings.heuristics.jobs.includes(job.name)) return
    if (this.pane.state(t).reading.claim !== null || this.pane.screen.last === null) return
    const claim: Claim = { is: 'working', label: job.name }
    const evidence: Evidence = { authority: 'structure', claim, t, expires: null, ref: 'process/foreground' }
    this.pane.report(evidence)
    this.#hear(evidence, t)
  }

  #followProgress({ frame, observation }: Look, t: number): void {
    const novelty = this.#content.follow(frame, observation)
    if (novelty === 'news') this.#progress.progressed(t)
    else if (novelty !== 'nothing') this.#progress.moved(t)
    if (novelty === 'news' || novelty === 'change') this.#offer('content', 'update', t, {})
  }

  #guess(frame: Look['frame'] | null, t: number): void {
    const { agentPrograms, counters } = this.#options
    const guess = this.#content.guess(frame, t, {
      pane: this.pane,
      job: this.#job,
      agentPrograms,
      mode: this.#mode,
      status: this.#status.state.status,
    })
    if (!guess) return
    const job = this.#job?.name ?? 'none'
    const hasSpoken = heedGuess(guess, t, { job, status: this.#status, progress: this.#progress, counters })
    if (hasSpoken) this.#heardAt = Math.max(this.#heardAt, t)
  }

  #markStuck(t: number): void {
    const look = this.pane.screen.last
    const facets = look?.observation.facets ?? []
    const view = look?.observation.view
    const stuck = this.#progress.judge({
      t,
      isActive: this.#status.isActive,
      hasWorkingRow: look?.observation.busy === true && look.observation.anchored,
      isToolRunning: view === 'tool_running' || this.pane.state(t).reading.authority === 'shell',
      isExcused: facets.some(({ name }) => name === 'retry' || name === 'background') || view === 'parallel_agents',
    })
    if (this.#status.setStuck(stuck) && stuck !== null)
      this.#options.counters.add('pane.stuck', { agent: this.pane.pack.agent, kind: stuck })
  }

  #markSeen(t: number): void {
    if (!this.#focus.isLooking(t)) return
    const { status, seen } = this.#status.state
    if (!seen && (status === 'done' || status === 'failed' || status === 'waiting-approval'))
      this.#status.apply('seen', 'user', t, 'user.focus')
  }

  #countAuthority(t: number): void {
    const passed = Math.min(5, Math.max(0, t - this.#countedAt))
    this.#countedAt = t
    const { authority } = this.pane.state(t).reading
    this.#options.counters.add('reading.authority_s', { authority }, passed)
    if (this.pane.standing(t).length === 0)
      this.#options.counters.add('pane.unknown_s', { agent: this.pane.pack.agent }, passed)
  }
}
