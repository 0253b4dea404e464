import type { AgentReport, LivePack } from '../agents/index.js'
import type { Clock, Timer } from '../clock/index.js'
import type { EventData, EventType } from '../events/index.js'
import type { KeptExit } from '../keeper/index.js'
import {
  DriftDetector,
  type DriftReport,
  Pane,
  type PaneOutput,
  type PaneState,
  type ScreenView,
  type Supervisor,
} from '../panes/index.js'
import type { SessionObserver } from '../sessions/index.js'
import { ChangeHistory, changeFields, type Explanation, explainMoment, Timeline } from '../sessions/replay/index.js'
import type { Frame } from '../terminal/index.js'
import type { Redactor } from '../text/index.js'
import type { DriftFiles } from './drift/index.js'

export interface SessionMonitorOptions {
  screen: ScreenView
  live: LivePack
  clock: Clock
  drift: DriftFiles
  redactor: Redactor
  record<T extends EventType>(type: T, data: EventData<T>): void
  /** Creates the supervisor that follows the status of the session's pane. */
  supervise?(pane: Pane): Supervisor
  /** Called when something about the pane may have changed. */
  changed?(): void
  onError(error: unknown): void
}

const FLUSH_MS = 30_000
/** Readers need a pane's activity only this often; a status change is sent at once. */
const REPORT_INTERVAL_S = 0.25

/**
 * Monitors a live session from outside: what the evidence adds up to and why (`explain`), which
 * version of the agent it is, whether its screens still match the pack. It does not influence the
 * session.
 */
export class SessionMonitor implements SessionObserver {
  readonly #options: SessionMonitorOptions
  readonly #pane: Pane
  readonly #timeline: Timeline
  readonly #history = new ChangeHistory()
  readonly #drift = new DriftDetector()
  #flushed = { anchored: 0, structural: 0, unknown: 0, disagreements: 0 }
  #flushedAt: number
  #time = { t: 0, at: 0 }
  #timer: Timer | null = null
  #lastReport = { t: Number.NEGATIVE_INFINITY, stateId: -1 }
  #lastReported = { at: 0, t: 0 }
  #isVersionKnown = false
  readonly supervisor: Supervisor | null

  constructor(options: SessionMonitorOptions) {
    const { live, screen, clock } = options
    const { pack } = live
    this.#options = options
    this.#pane = new Pane(pack, screen)
    this.supervisor = options.supervise?.(this.#pane) ?? null
    this.#timeline = new Timeline(pack, this.supervisor)
    this.#flushedAt = clock.monotonic()
    this.#time.at = clock.monotonic()
  }

  outputs(outputs: readonly PaneOutput[], t: number, isLive: boolean): void {
    try {
      this.#time = { t, at: this.#options.clock.monotonic() }
      const steps = this.#pane.applyOutputs([...outputs], t)
      for (const step of steps) {
        this.supervisor?.applySteps([step], t)
        for (const moment of this.#timeline.addSteps([step])) this.#history.addFields(changeFields(moment))
        if (step.type !== 'look') continue
        this.#findVersion(step.look.frame)
        if (isLive)
          for (const report of this.#drift.observe(step.look, isDisputed(step.state.reading))) this.#reportDrift(report)
      }
      this.#reportChange(t)
      this.#schedule(t)
      if (this.#options.clock.monotonic() - this.#flushedAt >= FLUSH_MS) this.#flush()
    } catch (error) {
      this.#options.onError(error)
    }
  }

  input(t: number, bytes: Uint8Array): void {
    this.#pane.recordInput(t, bytes)
  }

  /** Takes a report of the agent; late reports keep the time at which they were made. */
  report(report: AgentReport): void {
    try {
      const now = this.#now()
      const t = this.#timeOf(report, now)
      const steps = this.#pane.applyReport(report, t)
      this.supervisor?.applySteps(steps, t)
      this.supervisor?.recordSignal(report.channel === 'transcript' ? 'transcript' : 'hook', report.statement.kind, t)
      this.#timeline.addSteps(steps)
      this.#options.changed?.()
      this.#history.addFields(changeFields(this.#timeline.now(this.#pane.state(now))))
    } catch (error) {
      this.#options.onError(error)
    }
  }

  /** The wall clock has whole milliseconds: reports of one moment keep their order. */
  #timeOf({ at }: AgentReport, now: number): number {
    const t = Math.min(now, Math.max(0, now - (this.#options.clock.now() - at) / 1000))
    const isLater = at >= this.#lastReported.at
    if (isLater) this.#lastReported = { at, t: Math.max(t, this.#lastReported.t) }
    return isLater ? this.#lastReported.t : t
  }

  exited({ code, signal, t }: KeptExit, isExpected: boolean): void {
    this.#timer?.cancel()
    if (!isExpected) {
      this.#pane.exited({ code, signal }, t)
      this.supervisor?.exited({ code, signal }, t)
    }
    this.#options.changed?.()
    this.#history.addFields(changeFields(this.#timeline.exited(this.#pane.state(t), { code, signal })))
    this.#flush()
    this.#options.live.release()
  }

  /** Another object monitors the session. */
  close(): void {
    this.#timer?.cancel()
    this.#flush()
    this.#options.live.release()
  }

  /** Explains the current state. */
  explain(): Explanation {
    return explainMoment(
      this.#timeline.now(this.#pane.state(this.#now())),
      this.#options.live.pack,
      this.#timeline,
      this.#history.changes,
    )
  }

  /** Seconds since the session's start. */
  now(): number {
    return this.#now()
  }

  #now(): number {
    return this.#time.t + (this.#options.clock.monotonic() - this.#time.at) / 1000
  }

  get version(): string | null {
    return this.#options.live.version
  }

  /** Changes that are not reported now are found by the registry's own tick. */
  #reportChange(t: number): void {
    const stateId = this.supervisor?.stateId ?? 0
    const isEarly = t >= this.#lastReport.t && t < this.#lastReport.t + REPORT_INTERVAL_S
    if (isEarly && stateId === this.#lastReport.stateId) return
    this.#lastReport = { t, stateId }
    this.#options.changed?.()
  }

  #findVersion({ lines }: Frame): void {
    const { live } = this.#options
    const { banner } = live.pack.detect
    if (this.#isVersionKnown || !banner) return
    const version = lines.map(row => banner.exec(row.text)?.groups?.version).find(found => found !== undefined)
    if (version === undefined) return
    this.#isVersionKnown = true
    live.useVersion(version).then(({ isInRange }) => {
      if (!isInRange)
        this.#options.record('pack.drift', {
          agent: live.pack.agent,
          agentVersion: version,
          pack: live.pack.file,
          ...this.#drift.counts,
          reason: 'version',
        })
    }, this.#options.onError)
  }

  /** A still screen sends nothing: timers must be scheduled. */
  #schedule(t: number): void {
    const due = this.#drift.nextDeadline()
    this.#timer?.cancel()
    this.#timer =
      due === null
        ? null
        : this.#options.clock.setTimer(Math.max(0, (due - t) * 1000), () => {
            for (const report of this.#drift.tick(due)) this.#reportDrift(report)
          })
  }

  #reportDrift({ reason, counts, look, screenHash }: DriftReport): void {
    const { live, drift, redactor, clock, record } = this.#options
    const { pack } = live
    // Without a pack everything is read by structure: no drift is possible.
    if (pack.agent === 'generic') return
    const { frame, observation } = look
    const isNew = drift.keep({
      agent: pack.agent,
      version: live.version ?? 'unknown',
      pack: pack.file,
      hash: screenHash,
      at: clock.now(),
      reason,
      cols: frame.cols,
      rows: frame.rows,
      view: observation.view,
      rule: observation.rule,
      title: redactor.redact(frame.title),
      cursor: frame.cursor,
      lines: frame.lines.map(row => redactor.redactSameWidth(row.text)),
    })
    if (isNew)
      record('pack.drift', {
        agent: pack.agent,
        ...(live.version !== null && { agentVersion: live.version }),
        pack: pack.file,
        ...counts,
        screenHash,
        reason,
      })
  }

  #flush(): void {
    const { live, drift, clock } = this.#options
    const { anchored, structural, unknown, disagreements } = this.#drift.counts
    const added = {
      anchored: anchored - this.#flushed.anchored,
      structural: structural - this.#flushed.structural,
      unknown: unknown - this.#flushed.unknown,
      disagreements: disagreements - this.#flushed.disagreements,
    }
    this.#flushed = { anchored, structural, unknown, disagreements }
    this.#flushedAt = clock.monotonic()
    if (live.pack.agent === 'generic' || added.anchored + added.structural + added.unknown === 0) return
    drift.add(live.pack.agent, live.version ?? 'unknown', added, clock.now())
  }
}

/** The screen is overruled by a report, or contradicts the one that counts. */
function isDisputed({ authority, contradictions }: PaneState['reading']): boolean {
  const isOfScreen = (source: PaneState['reading']['authority']) => source === 'screen' || source === 'structure'
  return contradictions.some(other => isOfScreen(authority) !== isOfScreen(other.authority))
}
