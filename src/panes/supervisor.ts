import type { Observation } from '../screen/index.js'
import { changes, type Frame, type RowMask } from '../terminal/index.js'
import { type Claim, type Evidence, rankOf } from './evidence.js'
import { FlickerWatch } from './flicker.js'
import {
  Gate,
  type Guess,
  HeuristicAnalyser,
  type Sight,
  sightAgain,
  sightOf,
  spinnerMask,
} from './heuristics/index.js'
import type { Job } from './job.js'
import type { Pane, PaneState, PaneStep } from './pane.js'
import { ProgressWatch } from './progress.js'
import { type LoggedReport, ReportLog } from './report-log.js'
import { SignalQueue } from './signal-queue.js'
import { type Signal, type SignalSource, signalName } from './signals.js'
import type { StatusEntry, StatusState } from './status.js'
import type { PaneStatus, StatusEvent } from './status-table.js'
import { StatusTracker } from './status-tracker.js'
import {
  effectOf,
  GUESS_LASTS_S,
  GUESSES,
  isOneRank,
  nameOf,
  type Supervised,
  type SupervisorOptions,
  type SupervisorSettings,
  says,
  sourceOf,
  timeless,
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
  readonly #tracker: StatusTracker
  readonly #gate: Gate
  readonly #analyser: HeuristicAnalyser
  readonly #mask: RowMask
  readonly #progress: ProgressWatch
  readonly #flicker: FlickerWatch
  readonly #log = new ReportLog()
  #pane: Pane
  #generation = 0
  #job: Job | null = null
  #frame: Frame | null = null
  #sight: Sight | null = null
  #promptAt: number | null = null
  #resizedAt: number | null = null
  #isPending = false
  #mode: 'auto' | 'off' = 'auto'
  #gateReason: string | null = null
  #focusSince: number | null = null
  #isFocusCounted = false
  #waitTriedAt: number | null = null
  #wasContentChanged = false
  #lingering: { status: PaneStatus; until: number } | null = null
  #endedAt: number | null = null
  #heardAt = 0
  #since = 0
  #authorityAt = 0

  constructor(pane: Pane, options: SupervisorOptions) {
    const { settings, counters } = options
    const { panes } = settings
    this.#pane = pane
    this.#options = options
    this.#settings = settings
    pane.hearsStatus = settings.osc7501.enabled
    this.#queue = new SignalQueue({
      max: settings.queue.max,
      count: reason => counters.add(reason === 'merged' ? 'queue.merged' : 'queue.dropped', { reason }),
    })
    this.#tracker = new StatusTracker({ longAfterS: panes.long_after_s, historyMax: panes.history })
    this.#gate = new Gate(settings.heuristics)
    this.#analyser = new HeuristicAnalyser(settings.heuristics)
    this.#mask = spinnerMask(this.#analyser.patterns)
    this.#progress = new ProgressWatch({
      afterS: panes.stuck_after_s,
      toolS: panes.stuck_tool_s,
      frozenS: panes.stuck_frozen_s,
    })
    this.#flicker = new FlickerWatch({ max: panes.flicker_max, windowS: panes.flicker_window_s })
  }

  get pane(): Pane {
    return this.#pane
  }

  get job(): Job | null {
    return this.#job
  }

  get history(): readonly StatusEntry[] {
    return this.#tracker.history
  }

  /** Every report of the last hour. */
  reports(t: number): LoggedReport[] {
    return this.#log.entries(t)
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
    this.#resizedAt = t
  }

  /** The program in the foreground; `null` where nobody tells. */
  runs(job: Job | null, t: number): void {
    const before = this.#job
    this.#job = job
    if (!before || !job || before.name === job.name) return
    if (!before.isShell && job.isShell) this.#offer('process', 'returned', t, {})
    this.drain(t)
  }

  /** Another program has taken the pane: what was known of the old one is gone, its run is over. */
  replace(pane: Pane, t: number): void {
    this.#pane = pane
    pane.hearsStatus = this.#settings.osc7501.enabled
    this.#generation++
    this.#queue.renew(this.#generation)
    this.#frame = null
    this.#sight = null
    this.#promptAt = null
    this.#tracker.forgetReading()
    if (this.#isActive) this.#apply('finish-ok', 'shell', t, 'process/replaced', { isReading: true })
  }

  focus(isFocused: boolean, t: number): void {
    if (isFocused && this.#focusSince === null) this.#isFocusCounted = false
    this.#focusSince = isFocused ? (this.#focusSince ?? t) : null
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
    this.#isPending = isPending
  }

  setHeuristics(mode: 'auto' | 'off'): void {
    this.#mode = mode
  }

  exited(exit: { code: number | null; signal: string | null }, t: number): void {
    this.#pane.exited(exit, t)
    const evidence: Evidence = { authority: 'exit', claim: { is: 'exited', ...exit }, t, expires: null, ref: 'exit' }
    this.#offer('process', 'exit', t, { evidence })
    this.drain(t)
  }

  // — time —

  /** Once a second, and at `nextDeadline`. A task that fails does not keep the others from their turn. */
  tick(t: number): void {
    const tasks = [
      () => this.#countAuthority(t),
      () => this.#tracker.tick(t),
      () => this.#readAgain(t),
      () => this.#endWait(t),
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
    return this.#focusSince === null || this.#isFocusCounted
      ? null
      : this.#focusSince + this.#settings.panes.focus_debounce_s
  }

  // — what it is —

  state(t: number): Supervised {
    const { state } = this.#tracker
    const { panes, reading: knobs } = this.#settings
    const { reading } = this.#pane.state(t)
    const isUnheard = this.#pane.standing(t).length === 0 && t - this.#heardAt >= knobs.stale_s
    const lingering = this.#lingering !== null && t < this.#lingering.until ? this.#lingering.status : null
    const isOver = (state.status === 'done' || state.status === 'failed') && this.#endedAt !== null
    const fadedFor = isOver ? t - this.#endedAt! - panes.dismiss_s : -1
    return {
      ...state,
      since: this.#since,
      generation: this.#generation,
      shown: state.status === 'idle' && lingering ? lingering : state.status,
      isFaded: fadedFor >= 0,
      isRecent: fadedFor >= 0 && fadedFor < panes.recent_s,
      claim: reading.claim,
      authority: reading.authority,
      rule: reading.rule,
      confidence: reading.confidence,
      staleFor: isUnheard ? t - this.#heardAt : null,
      contradictions: reading.contradictions.length,
      flicker: this.#flicker.count,
      heuristics: this.#settings.heuristics.mode === 'off' ? 'off' : this.#mode,
      gate: this.#gateReason,
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

  get #isActive(): boolean {
    const { status } = this.#tracker.state
    return status === 'running' || status === 'long-running'
  }

  #offer(source: SignalSource, name: string, t: number, data: Signal['data']): void {
    this.#queue.push({ source, name, t, generation: this.#generation, data })
  }

  #handle(signal: Signal, now: number): void {
    const { source, t, data } = signal
    if (data.evidence !== undefined) return this.#hear(data.evidence as Evidence, now)
    if (data.step !== undefined) return this.#see((data.step as PaneStep & { type: 'look' }).state, t)
    if (source === 'hook' || source === 'transcript') {
      this.#progress.progressed(t)
      this.#log.add({ t, source: source, says: signal.name, ref: signalName(signal), effect: 'progress' })
      return
    }
    switch (signalName(signal)) {
      case 'content.update':
        return this.#contentChanged(t)
      case 'process.returned':
        // No mark and no word: a run that nobody better began has ended, how is unknown.
        if (this.#isActive) this.#apply('finish-ok', 'shell', t, 'process/back-to-shell')
        return
      case 'user.focus':
      case 'user.click':
        this.#apply('seen', 'user', t, signalName(signal))
        return
      case 'user.clear':
        this.#apply('clear', 'user', t, signalName(signal))
        this.#analyser.suppress()
        this.#tracker.forgetReading()
        return
    }
  }

  /** One report. It speaks for the pane only if nothing higher does; which of two in one breath came last must not decide. */
  #hear(evidence: Evidence, now: number): void {
    const { authority, claim, t, ref } = evidence
    this.#heardAt = Math.max(this.#heardAt, t)
    if (authority === 'shell') this.#promptAt = t
    if (authority === 'hook' || authority === 'transcript' || authority === 'osc7501') this.#progress.progressed(t)
    const top = this.#pane.standing(now)[0]
    const isLower =
      top !== undefined && rankOf(authority) > rankOf(top.authority) + (isOneRank(authority, top.authority) ? 1 : 0)
    if (isLower) {
      const isSame = top.claim.is === claim.is
      if (!isSame) this.#options.counters.add('reading.contradiction', { won: top.authority, lost: authority })
      this.#log.add({
        t,
        source: authority,
        says: says(claim),
        ref,
        effect: isSame ? 'agrees' : `lost to ${top.authority}`,
      })
      return
    }
    const entry = this.#read({ claim, authority, ref }, this.#pane.state(now), t)
    this.#log.add({ t, source: authority, says: says(claim), ref, effect: effectOf(entry) })
  }

  #see(state: PaneState, t: number): void {
    const { look, reading } = state
    if (!look) return
    this.#heardAt = Math.max(this.#heardAt, look.isSettled && look.observation.view !== 'unknown' ? t : 0)
    this.#followProgress(look.frame, look.observation, t)
    if (look.isSettled) {
      const { authority, rule } = reading
      const isOwn = authority === 'screen' || authority === 'structure'
      const entry = this.#read({ claim: reading.claim, authority, ref: rule }, state, t)
      if (entry || isOwn)
        this.#log.add({
          t,
          source: isOwn ? authority : look.observation.anchored ? 'screen' : 'structure',
          says: isOwn ? says(reading.claim) : look.observation.view,
          ref: look.observation.rule,
          effect: entry ? effectOf(entry) : 'agrees',
        })
    }
    const sight = this.#sight
    if (look.isSettled && look.observation.view === 'idle_prompt' && sight?.isCursorAtEnd === true)
      this.#analyser.learnPrompt(sight.beforeCursor)
    this.#guess(look.frame, t, look.observation)
  }

  /** A rest is believed late, a lapse comes with time alone: the reading is asked again. */
  #readAgain(t: number): void {
    const state = this.#pane.state(t)
    if (state.look && !state.look.isSettled) return
    const { claim, authority, rule } = state.reading
    this.#read({ claim, authority, ref: rule }, state, t)
  }

  #read(
    { claim, authority, ref }: { claim: Claim | null; authority: Evidence['authority'] | 'none'; ref: string },
    state: PaneState,
    t: number,
  ): StatusEntry | null {
    if (authority === 'silence') return null
    const { pack } = this.#pane
    const terminator = state.look?.observation.terminator
    const before = this.#tracker.state
    const entry = this.#tracker.read(
      {
        claim,
        authority,
        view: state.isSettled ? state.view : 'unknown',
        awaiting: state.awaiting,
        isTurnClosed: pack.terminator === 'none' || terminator?.outcome === 'done',
        isPending: this.#isPending,
      },
      t,
    )
    if (entry) this.#changed(before, entry, ref)
    return entry
  }

  #apply(
    event: StatusEvent,
    source: StatusState['source'],
    t: number,
    ref: string,
    more: { isReading?: boolean } = {},
  ): StatusEntry {
    const before = this.#tracker.state
    const entry = this.#tracker.apply({
      event,
      source,
      t,
      generation: this.#generation,
      isAsking: this.#isAsking(t),
      ...more,
    })
    this.#changed(before, entry, ref)
    this.#log.add({ t, source, says: event, ref, effect: effectOf(entry) } as LoggedReport)
    return entry
  }

  /** A live menu, a pending approval, or somebody's word that a person is asked. Heuristics alone do not count. */
  #isAsking(t: number): boolean {
    if (this.#isPending) return true
    const { awaiting, reading } = this.#pane.state(t)
    if (awaiting !== null && awaiting !== 'picker' && awaiting !== 'exit_confirm') return true
    return reading.claim?.is === 'blocked' && reading.authority !== 'silence' && this.#pane.standing(t).length > 0
  }

  #changed(before: StatusState, entry: StatusEntry, ref: string): void {
    const { counters } = this.#options
    const labels = { from: entry.from, to: entry.to, event: entry.event, source: String(entry.source) }
    if (entry.reason !== 'applied') {
      counters.add('status.refused', { ...labels, reason: entry.reason })
      return
    }
    const { status } = this.#tracker.state
    if (entry.event === 'start') this.#analyser.reactivate()
    if (status === before.status) return
    counters.add('status.changed', { ...labels, reason: ref })
    const { t } = entry
    this.#since = t
    const isOver = status === 'done' || status === 'failed'
    if (isOver) {
      this.#endedAt = t
      this.#analyser.suppress()
    }
    const wasOver = before.status === 'done' || before.status === 'failed'
    this.#lingering =
      status === 'idle' && wasOver ? { status: before.status, until: t + this.#settings.panes.display_delay_s } : null
    if (status === 'waiting-approval') {
      this.#waitTriedAt = t
      this.#wasContentChanged = false
    }
    if (this.#isActive && !['running', 'long-running'].includes(before.status)) this.#progress.progressed(t)
    this.#countFlicker(status, t)
  }

  #countFlicker(status: PaneStatus, t: number): void {
    // A question between two stretches of work is no flicker.
    if (status === 'waiting-approval') return
    if (!this.#flicker.see(this.#isActive, t)) return
    const { flicker_hold_s } = this.#settings.panes
    this.#options.counters.add('pane.flicker', { agent: this.#pane.pack.agent })
    this.#pane.screen.holdRest(flicker_hold_s, this.#flicker.heldUntil)
    this.#log.add({ t, source: 'timer', says: 'flicker', ref: 'flicker', effect: `rest must last ${flicker_hold_s} s` })
  }

  #followProgress(frame: Frame, observation: Observation, t: number): void {
    const before = this.#frame
    this.#frame = frame
    if (!before || before.seq === frame.seq) return
    const sight = sightOf(frame, before, { observation, settings: this.#settings.heuristics, mask: this.#mask })
    this.#sight = sight
    if (sight.isMotion) this.#progress.moved(t)
    if (sight.changed === 0) return
    const isNews = changes(before.lines, frame.lines, timeless).changed.length > 0 || sight.newLines > 0
    if (isNews) this.#progress.progressed(t)
    else this.#progress.moved(t)
    this.#offer('content', 'update', t, {})
  }

  #contentChanged(t: number): void {
    this.#wasContentChanged = true
    const { status } = this.#tracker.state
    if (status === 'waiting-approval' && !this.#isAsking(t)) this.#apply('activity', 'silence', t, 'content/update')
  }

  #guess(frame: Frame | null, t: number, observation?: Observation): void {
    const look = this.#pane.screen.last
    if (!look) return
    if (frame && !this.#sight)
      this.#sight = sightOf(frame, null, {
        observation: observation ?? look.observation,
        settings: this.#settings.heuristics,
        mask: this.#mask,
      })
    if (!this.#sight) return
    const sight = frame && this.#sight.t === frame.t ? this.#sight : sightAgain(this.#sight, t)
    const gate = this.#gate.ask({
      t,
      mode: this.#mode,
      jobName: this.#job?.name ?? null,
      title: look.frame.title,
      agentPrograms: this.#options.agentPrograms,
      promptAt: this.#promptAt,
      hasHigher: this.#hasHigher(t),
      anchoredAt: look.observation.anchored && look.observation.view !== 'unknown' ? t : null,
      isUnknownAlternate: look.frame.buffer === 'alternate' && this.#pane.pack.agent === 'generic',
      resizedAt: this.#resizedAt,
    })
    this.#gateReason = gate
    this.#heed(this.#analyser.look(sight, { status: this.#tracker.state.status, gate }), t)
  }

  #heed({ emitted, suppressed, isPlateau }: Guess, t: number): void {
    const { counters } = this.#options
    const job = this.#job?.name ?? 'none'
    if (isPlateau) this.#progress.stalled()
    if (suppressed && suppressed.signal !== 'any')
      counters.add('heuristic.suppressed', { signal: suppressed.signal, job, reason: suppressed.reason })
    if (!emitted) return
    counters.add('heuristic.emitted', { signal: emitted.signal, job, reason: emitted.reason })
    const { event, claim } = GUESSES[emitted.signal]
    const ref = `content/${emitted.signal}: ${emitted.reason}`
    this.#pane.report({ authority: 'silence', claim, t, expires: t + GUESS_LASTS_S, ref })
    this.#heardAt = Math.max(this.#heardAt, t)
    this.#apply(event, 'silence', t, ref)
  }

  #hasHigher(t: number): boolean {
    return this.#pane
      .standing(t)
      .some(
        ({ authority, claim }) =>
          rankOf(authority) < rankOf('shell') || (authority === 'shell' && claim.is === 'working'),
      )
  }

  #endWait(t: number): void {
    const { status } = this.#tracker.state
    if (status !== 'waiting-approval' || this.#waitTriedAt === null) return
    const { wait_fallback_s, wait_fallback_running } = this.#settings.panes
    if (t - this.#waitTriedAt < wait_fallback_s) return
    this.#waitTriedAt = t
    const isRunning = this.#wasContentChanged && wait_fallback_running
    this.#apply(isRunning ? 'wait-over-changed' : 'wait-over-quiet', 'timer', t, 'timer/wait')
  }

  #markStuck(t: number): void {
    const look = this.#pane.screen.last
    const facets = look?.observation.facets ?? []
    const view = look?.observation.view
    const stuck = this.#progress.judge({
      t,
      isActive: this.#isActive,
      hasWorkingRow: look?.observation.busy === true && look.observation.anchored,
      isToolRunning: view === 'tool_running' || this.#pane.state(t).reading.authority === 'shell',
      isExcused: facets.some(({ name }) => name === 'retry' || name === 'background') || view === 'parallel_agents',
    })
    if (this.#tracker.setStuck(stuck) && stuck !== null)
      this.#options.counters.add('pane.stuck', { agent: this.#pane.pack.agent, kind: stuck })
  }

  #markSeen(t: number): void {
    if (this.#focusSince === null || t - this.#focusSince < this.#settings.panes.focus_debounce_s) return
    this.#isFocusCounted = true
    const { status, seen } = this.#tracker.state
    if (!seen && (status === 'done' || status === 'failed' || status === 'waiting-approval'))
      this.#apply('seen', 'user', t, 'user.focus')
  }

  #countAuthority(t: number): void {
    const passed = Math.min(5, Math.max(0, t - this.#authorityAt))
    this.#authorityAt = t
    const { authority } = this.#pane.state(t).reading
    this.#options.counters.add('reading.authority_s', { authority }, passed)
    if (this.#pane.standing(t).length === 0)
      this.#options.counters.add('pane.unknown_s', { agent: this.#pane.pack.agent }, passed)
  }
}
