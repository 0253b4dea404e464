import type { ContentTracker } from './content-tracker.js'
import type { Claim, Evidence } from './evidence.js'
import { FlickerDetector } from './flicker.js'
import type { Pane, PaneState } from './pane.js'
import type { ProgressTracker } from './progress.js'
import { type LoggedReport, ReportLog } from './report-log.js'
import { ShownStatus } from './shown-status.js'
import type { StatusEntry, StatusState } from './status.js'
import type { StatusEvent } from './status-table.js'
import { StatusTracker } from './status-tracker.js'
import { asksPerson, effectOf, isActiveStatus, type SupervisorOptions } from './supervisor-parts.js'
import { WaitFallback } from './wait-fallback.js'

/**
 * The status of one pane, and everything that follows from a change: what lists show, how long a
 * wait may last, whether it flickers, when guessing stops and starts, the counters, and the log
 * that explains it. The caller decides which source counts; this class only applies it.
 */
export class SupervisedStatus {
  readonly #options: SupervisorOptions
  readonly #tracker: StatusTracker
  readonly #shown: ShownStatus
  readonly #flicker: FlickerDetector
  readonly #wait: WaitFallback
  readonly #content: ContentTracker
  readonly #progress: ProgressTracker
  readonly log = new ReportLog()
  pane: Pane
  generation = 0
  /** An approval of this pane is pending in the ledger. */
  isPending = false

  constructor(pane: Pane, options: SupervisorOptions, parts: { content: ContentTracker; progress: ProgressTracker }) {
    const { panes } = options.settings
    this.pane = pane
    this.#options = options
    this.#content = parts.content
    this.#progress = parts.progress
    this.#tracker = new StatusTracker({ longAfterS: panes.long_after_s, historyMax: panes.history })
    this.#flicker = new FlickerDetector({ max: panes.flicker_max, windowS: panes.flicker_window_s })
    this.#shown = new ShownStatus({
      displayDelayS: panes.display_delay_s,
      dismissS: panes.dismiss_s,
      recentS: panes.recent_s,
    })
    this.#wait = new WaitFallback({ afterS: panes.wait_fallback_s, mayRun: panes.wait_fallback_running })
  }

  get state(): StatusState {
    return this.#tracker.state
  }

  get history(): readonly StatusEntry[] {
    return this.#tracker.history
  }

  get isActive(): boolean {
    return isActiveStatus(this.#tracker.state.status)
  }

  get flickers(): number {
    return this.#flicker.count
  }

  shownAt(t: number): { since: number } & ReturnType<ShownStatus['at']> {
    return { since: this.#shown.since, ...this.#shown.at(this.#tracker.state.status, t) }
  }

  /** Forgets the last reading: the same reading again is an event. */
  forgetReading(): void {
    this.#tracker.forgetReading()
  }

  /** The command that runs has started an agent: the work stays open until the agent is idle. */
  starting(): void {
    this.#tracker.starting()
  }

  /** A person acted in this pane. */
  acted(t: number): void {
    this.#flicker.acted(t)
  }

  /** Only time has passed: work may become long-running. */
  tick(t: number): void {
    this.#tracker.tick(t)
  }

  setStuck(stuck: StatusState['stuck']): boolean {
    return this.#tracker.setStuck(stuck)
  }

  /** Takes a reading. Null if it says nothing new. */
  read(
    { claim, authority, ref }: { claim: Claim | null; authority: Evidence['authority'] | 'none'; ref: string },
    state: PaneState,
    t: number,
  ): StatusEntry | null {
    if (authority === 'silence') return null
    const before = this.#tracker.state
    const entry = this.#tracker.read(
      {
        claim,
        authority,
        view: state.isSettled ? state.view : 'unknown',
        // If the shell reports that its command has ended, the menu on the last screen asks nothing
        // any more.
        awaiting: asksPerson(state) && !isShellIdle(authority, claim) ? state.awaiting : null,
        isTurnClosed: this.pane.pack.terminator === 'none' || state.look?.observation.terminator?.outcome === 'done',
        isPending: this.isPending,
      },
      t,
    )
    if (entry) this.#changed(before, entry, ref)
    return entry
  }

  /** Applies an event without a reading: a person's, a timer's, a guess. */
  apply(
    event: StatusEvent,
    source: StatusState['source'],
    t: number,
    ref: string,
    more: { isReading?: boolean } = {},
  ): StatusEntry {
    const before = this.#tracker.state
    const { generation } = this
    const entry = this.#tracker.apply({ event, source, t, generation, isAsking: this.#isAsking(t), ...more })
    this.#changed(before, entry, ref)
    this.log.add({ t, source, says: event, ref, effect: effectOf(entry) } as LoggedReport)
    // Work that ended without a reading may have ended too early: a source that still reports work
    // reopens it. A status that a person cleared stays cleared until a new report.
    if (isActiveStatus(before.status) && !this.isActive && source !== 'user') this.forgetReading()
    return entry
  }

  /** When time alone changes the status: work becomes long, a wait may be over. */
  nextDeadline(): number | null {
    const wait = this.#tracker.state.status === 'waiting-approval' ? this.#wait.nextDeadline() : null
    return wait ?? this.#tracker.nextDeadline()
  }

  /** Ends a wait without a source after a while. */
  endWait(t: number): void {
    if (this.#tracker.state.status !== 'waiting-approval') return
    const event = this.#wait.due(t)
    if (event) this.apply(event, 'timer', t, 'timer/wait')
  }

  /**
   * The content has changed: if no source asks any more, and the menu or question that was guessed
   * is gone, the wait was answered.
   */
  contentChanged(t: number): void {
    this.#wait.contentChanged()
    const { status, source } = this.#tracker.state
    if (status !== 'waiting-approval' || this.#isAsking(t)) return
    if (source === 'silence' && this.#content.isAsking) return
    this.apply('activity', 'silence', t, 'content/update')
  }

  /**
   * A live menu, a pending approval, or a report that a person is asked. Heuristics alone do not
   * count.
   */
  #isAsking(t: number): boolean {
    if (this.isPending) return true
    // If no report counts any more, the last one only ages.
    if (this.pane.unexpired(t).length === 0) return false
    const state = this.pane.state(t)
    if (asksPerson(state)) return true
    const { reading } = state
    return reading.claim?.is === 'blocked' && reading.authority !== 'silence'
  }

  #changed(before: StatusState, entry: StatusEntry, ref: string): void {
    const { counters } = this.#options
    const labels = { from: entry.from, to: entry.to, event: entry.event, source: String(entry.source) }
    if (entry.reason !== 'applied') {
      counters.add('status.refused', { ...labels, reason: entry.reason })
      return
    }
    const { status } = this.#tracker.state
    if (entry.event === 'start') this.#content.reactivate()
    if (status === before.status) return
    counters.add('status.changed', { ...labels, reason: ref })
    const { t } = entry
    this.#shown.changed(before.status, status, t)
    if (status === 'done' || status === 'failed') this.#content.suppress()
    if (status === 'waiting-approval') this.#wait.began(t)
    if (this.isActive && !isActiveStatus(before.status)) this.#progress.progressed(t)
    // A question between two periods of work is not flicker.
    if (status !== 'waiting-approval') this.#countFlicker(t)
  }

  #countFlicker(t: number): void {
    if (this.pane.inputAt !== null) this.#flicker.acted(this.pane.inputAt)
    if (!this.#flicker.observe(this.isActive, t)) return
    const { flicker_hold_s } = this.#options.settings.panes
    this.#options.counters.add('pane.flicker', { agent: this.pane.pack.agent })
    this.pane.screen.requireIdleFor(flicker_hold_s, this.#flicker.strictUntil)
    this.log.add({ t, source: 'timer', says: 'flicker', ref: 'flicker', effect: `idle must last ${flicker_hold_s} s` })
  }
}

function isShellIdle(authority: string, claim: Claim | null): boolean {
  return authority === 'shell' && claim !== null && claim.is !== 'working'
}
