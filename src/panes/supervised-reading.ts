import type { ContentWatch } from './content-watch.js'
import { type Evidence, rankOf } from './evidence.js'
import type { TerminalWitness } from './menu-witness.js'
import type { Pane, PaneState } from './pane.js'
import type { ProgressWatch } from './progress.js'
import type { SupervisedStatus } from './supervised-status.js'
import { effectOf, isOneRank, type SupervisorOptions, says } from './supervisor-parts.js'

/** What became of a menu over a running command, in the words of the log. */
const WITNESSED: Readonly<Record<TerminalWitness['reads'], string>> = {
  yes: 'the command asks',
  no: 'the command only prints',
  unknown: 'taken for a question',
}

/**
 * Reports, looks and what a witness says, read for the pane's status: who speaks for the pane, what its word changes, and what is logged of
 * those who lost.
 */
export class SupervisedReading {
  readonly #options: SupervisorOptions
  readonly #status: SupervisedStatus
  readonly #content: ContentWatch
  readonly #progress: ProgressWatch
  #isCleared = false
  #heardAt = 0
  #countedAt = 0

  constructor(
    options: SupervisorOptions,
    parts: { status: SupervisedStatus; content: ContentWatch; progress: ProgressWatch },
  ) {
    this.#options = options
    this.#status = parts.status
    this.#content = parts.content
    this.#progress = parts.progress
  }

  /** What was said before counts no more; the next word does, even if it is the same. */
  clear(): void {
    this.#isCleared = true
  }

  /** Somebody said something about the pane. */
  noteHeard(t: number): void {
    this.#heardAt = Math.max(this.#heardAt, t)
  }

  /** Seconds since anybody last said something; null while somebody's word counts. */
  staleFor(t: number): number | null {
    const isUnheard = this.#pane.standing(t).length === 0 && t - this.#heardAt >= this.#options.settings.reading.stale_s
    return isUnheard ? t - this.#heardAt : null
  }

  /** One report. It speaks for the pane only if nothing higher does; which of two in one breath came last must not decide. */
  hear(evidence: Evidence, now: number): void {
    const { authority, claim, t, ref } = evidence
    this.noteHeard(t)
    if (authority === 'shell') this.#content.heardShell(t)
    if (authority === 'hook' || authority === 'transcript' || authority === 'osc7501') this.#progress.progressed(t)
    const top = this.#pane.standing(now)[0]
    const isLower =
      top !== undefined && rankOf(authority) > rankOf(top.authority) + (isOneRank(authority, top.authority) ? 1 : 0)
    if (isLower) {
      const isSame = top.claim.is === claim.is
      if (!isSame) this.#options.counters.add('reading.contradiction', { won: top.authority, lost: authority })
      const effect = isSame ? 'agrees' : `lost to ${top.authority}`
      this.#status.log.add({ t, source: authority, says: says(claim), ref, effect })
      return
    }
    if (this.#isCleared) this.#status.forgetReading()
    this.#isCleared = false
    const entry = this.#status.read({ claim, authority, ref }, this.#pane.state(now), t)
    this.#status.log.add({ t, source: authority, says: says(claim), ref, effect: effectOf(entry) })
  }

  /** A look that is believed. */
  see(state: PaneState, t: number): void {
    const { look, reading } = state
    if (!look) return
    if (look.isBelieved && look.observation.view !== 'unknown') this.noteHeard(t)
    if (!look.isBelieved) return
    const { authority, rule } = reading
    const isOwn = authority === 'screen' || authority === 'structure'
    const entry = this.#status.read({ claim: reading.claim, authority, ref: rule }, state, t)
    if (!entry && !isOwn) return
    this.#status.log.add({
      t,
      source: isOwn ? authority : look.observation.anchored ? 'screen' : 'structure',
      says: isOwn ? says(reading.claim) : look.observation.view,
      ref: look.observation.rule,
      effect: entry ? effectOf(entry) : 'agrees',
    })
  }

  /** A rest is believed late, a lapse comes with time alone: the reading is asked again. */
  again(t: number): void {
    const state = this.#pane.state(t)
    if (state.look && !state.look.isBelieved) return
    const { claim, authority, rule } = state.reading
    this.#status.read({ claim, authority, ref: rule }, state, t)
  }

  /** Whether the program behind a menu reads its terminal. */
  witness(witness: TerminalWitness, t: number): void {
    const { reads, how } = witness
    this.#pane.hearWitness(witness)
    this.#options.counters.add('reading.witness', { reads })
    const says = reads === 'unknown' ? 'may read the terminal' : `reads the terminal: ${reads}`
    this.#status.log.add({ t, source: 'process', says, ref: `process/reads: ${how}`, effect: WITNESSED[reads] })
    this.again(t)
  }

  /** How long each authority has spoken for the pane. */
  count(t: number): void {
    const { counters } = this.#options
    const passed = Math.min(5, Math.max(0, t - this.#countedAt))
    this.#countedAt = t
    const { authority } = this.#pane.state(t).reading
    counters.add('reading.authority_s', { authority }, passed)
    if (this.#pane.standing(t).length === 0) counters.add('pane.unknown_s', { agent: this.#pane.pack.agent }, passed)
  }

  get #pane(): Pane {
    return this.#status.pane
  }
}
