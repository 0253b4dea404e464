import type { ContentTracker } from './content-tracker.js'
import { type Evidence, rankOf } from './evidence.js'
import type { Pane, PaneState } from './pane.js'
import type { ProgressTracker } from './progress.js'
import type { SupervisedStatus } from './supervised-status.js'
import { describeClaim, effectOf, isOneRank, type SupervisorOptions } from './supervisor-parts.js'
import type { TerminalReadResult } from './terminal-read-check.js'

/** The effect of a check of a menu over a running command, as logged. */
const CHECK_EFFECTS: Readonly<Record<TerminalReadResult['reads'], string>> = {
  yes: 'the command asks',
  no: 'the command only prints',
  unknown: 'treated as a question',
}

/**
 * Applies reports, looks and read checks to the pane's status: which source counts, what it
 * changes, and what is logged about the others.
 */
export class SupervisedReading {
  readonly #options: SupervisorOptions
  readonly #status: SupervisedStatus
  readonly #content: ContentTracker
  readonly #progress: ProgressTracker
  #isCleared = false
  #reportedAt = 0
  #countedAt = 0

  constructor(
    options: SupervisorOptions,
    parts: { status: SupervisedStatus; content: ContentTracker; progress: ProgressTracker },
  ) {
    this.#options = options
    this.#status = parts.status
    this.#content = parts.content
    this.#progress = parts.progress
  }

  /** Earlier reports no longer count; the next one does, even if it says the same. */
  clear(): void {
    this.#isCleared = true
  }

  /** A source reported something about the pane. */
  noteReport(t: number): void {
    this.#reportedAt = Math.max(this.#reportedAt, t)
  }

  /** Seconds since the last report; null while a report counts. */
  staleFor(t: number): number | null {
    const isSilent =
      this.#pane.unexpired(t).length === 0 && t - this.#reportedAt >= this.#options.settings.reading.stale_s
    return isSilent ? t - this.#reportedAt : null
  }

  /**
   * Takes one report. It counts only if no higher one does; the order of two simultaneous reports
   * must not matter.
   */
  applyEvidence(evidence: Evidence, now: number): void {
    const { authority, claim, t, ref } = evidence
    this.noteReport(t)
    if (authority === 'shell') this.#content.noteShellReport(t)
    if (authority === 'hook' || authority === 'transcript' || authority === 'osc7501') this.#progress.progressed(t)
    const top = this.#pane.unexpired(now)[0]
    const isLower =
      top !== undefined && rankOf(authority) > rankOf(top.authority) + (isOneRank(authority, top.authority) ? 1 : 0)
    if (isLower) {
      const isSame = top.claim.is === claim.is
      if (!isSame) this.#options.counters.add('reading.contradiction', { won: top.authority, lost: authority })
      const effect = isSame ? 'agrees' : `lost to ${top.authority}`
      this.#status.log.add({ t, source: authority, says: describeClaim(claim), ref, effect })
      return
    }
    if (this.#isCleared) this.#status.forgetReading()
    this.#isCleared = false
    const entry = this.#status.read({ claim, authority, ref }, this.#pane.state(now), t)
    this.#status.log.add({ t, source: authority, says: describeClaim(claim), ref, effect: effectOf(entry) })
  }

  /** Applies an accepted look. */
  applyLook(state: PaneState, t: number): void {
    const { look, reading } = state
    if (!look) return
    if (look.isConfirmed && look.observation.view !== 'unknown') this.noteReport(t)
    if (!look.isConfirmed || !this.#counts(t)) return
    const { authority, rule } = reading
    const isOwn = authority === 'screen' || authority === 'structure'
    const entry = this.#status.read({ claim: reading.claim, authority, ref: rule }, state, t)
    if (!entry && !isOwn) return
    this.#status.log.add({
      t,
      source: isOwn ? authority : look.observation.anchored ? 'screen' : 'structure',
      says: isOwn ? describeClaim(reading.claim) : look.observation.view,
      ref: look.observation.rule,
      effect: entry ? effectOf(entry) : 'agrees',
    })
  }

  /** An idle state is accepted late, and reports lapse with time alone: reads the pane again. */
  readAgain(t: number): void {
    const state = this.#pane.state(t)
    if ((state.look && !state.look.isConfirmed) || !this.#counts(t)) return
    const { claim, authority, rule } = state.reading
    this.#status.read({ claim, authority, ref: rule }, state, t)
  }

  /** Takes the result of a check whether the program behind a menu reads its terminal. */
  applyReadCheck(result: TerminalReadResult, t: number): void {
    const { reads, how } = result
    this.#pane.applyReadCheck(result)
    this.#options.counters.add('reading.terminal_read_check', { reads })
    const says = reads === 'unknown' ? 'may read the terminal' : `reads the terminal: ${reads}`
    this.#status.log.add({ t, source: 'process', says, ref: `process/reads: ${how}`, effect: CHECK_EFFECTS[reads] })
    this.readAgain(t)
  }

  /** Counts how long each authority has determined the reading. */
  count(t: number): void {
    const { counters } = this.#options
    const passed = Math.min(5, Math.max(0, t - this.#countedAt))
    this.#countedAt = t
    const { authority } = this.#pane.state(t).reading
    counters.add('reading.authority_s', { authority }, passed)
    if (this.#pane.unexpired(t).length === 0) counters.add('pane.unknown_s', { agent: this.#pane.pack.agent }, passed)
  }

  /** A report still counts; if none does, the last claim only ages. */
  #counts(t: number): boolean {
    return this.#pane.unexpired(t).length > 0
  }

  get #pane(): Pane {
    return this.#status.pane
  }
}
