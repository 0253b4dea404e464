import type { Observation } from '../screen/index.js'
import { type Frame, hasSameContent, type RowMask, rowChanges } from '../terminal/index.js'
import { rankOf } from './evidence.js'
import {
  type ContentFeatures,
  Eligibility,
  featuresLater,
  featuresOf,
  HeuristicAnalyser,
  type HeuristicResult,
  type HeuristicSettings,
  hasLiveMenu,
  spinnerMask,
} from './heuristics/index.js'
import type { Job } from './job.js'
import type { Pane } from './pane.js'
import type { PaneStatus } from './status-table.js'
import { withoutTimes } from './supervisor-parts.js'

/** What is new in a frame, compared with the previous one. */
export type ContentChange = 'news' | 'change' | 'motion' | 'nothing'

/** What the eligibility of the heuristics needs to know about the pane. */
export interface ContentContext {
  pane: Pane
  job: Job | null
  agentPrograms: readonly string[]
  mode: 'auto' | 'off'
  status: PaneStatus
}

/**
 * Tracks the rows of a pane from frame to frame, and guesses from them if no better source reports.
 */
export class ContentTracker {
  readonly #settings: HeuristicSettings
  readonly #eligibility: Eligibility
  readonly #analyser: HeuristicAnalyser
  readonly #mask: RowMask
  #frame: Frame | null = null
  #features: ContentFeatures | null = null
  #promptAt: number | null = null
  #resizedAt: number | null = null
  #ineligible: string | null = null

  constructor(settings: HeuristicSettings) {
    this.#settings = settings
    this.#eligibility = new Eligibility(settings)
    this.#analyser = new HeuristicAnalyser(settings)
    this.#mask = spinnerMask(this.#analyser.patterns)
  }

  /** Why heuristics are off; null while they may report. */
  get ineligible(): string | null {
    return this.#ineligible
  }

  /** A prompt is directly before the cursor. */
  get isAtPrompt(): boolean {
    return this.#features !== null && this.#analyser.isAtPrompt(this.#features)
  }

  /** A menu or a question is on the screen. */
  get isAsking(): boolean {
    return this.#analyser.isAsking
  }

  /** The newest frame added nothing but text after a prompt. */
  get isTyping(): boolean {
    return this.#features?.isTyped === true
  }

  /** The shell integration has reported something. */
  noteShellReport(t: number): void {
    this.#promptAt = t
  }

  resized(t: number): void {
    this.#resizedAt = t
  }

  /** Another program, another screen; learned prompts and marks stay with the pane. */
  forget(): void {
    this.#frame = null
    this.#features = null
    this.#promptAt = null
  }

  suppress(): void {
    this.#analyser.suppress()
  }

  /** A guess has changed the status. */
  applied(guess: NonNullable<HeuristicResult['emitted']>): void {
    if (this.#features) this.#analyser.applied(guess.signal, this.#features)
  }

  reactivate(): void {
    this.#analyser.reactivate()
  }

  /** The pane is certainly idle: the text before its cursor is its prompt. */
  learnPrompt(): void {
    if (this.#features?.isCursorAtEnd === true) this.#analyser.learnPrompt(this.#features.beforeCursor)
  }

  /** Compares the frame with the previous one. A running clock is a change, but no new content. */
  follow(frame: Frame, observation: Observation): ContentChange {
    const before = this.#frame
    this.#frame = frame
    if (!before || before.seq === frame.seq) return 'nothing'
    if (this.#features && hasSameContent(before, frame)) {
      this.#features = { ...featuresLater(this.#features, frame.t), hasLiveMenu: hasLiveMenu(observation) }
      return 'nothing'
    }
    const features = featuresOf(frame, before, { observation, settings: this.#settings, mask: this.#mask })
    this.#features = features
    if (features.changed === 0) return features.isMotion ? 'motion' : 'nothing'
    const isNews = rowChanges(before.lines, frame.lines, withoutTimes).changed.length > 0 || features.newLines > 0
    return isNews ? 'news' : 'change'
  }

  /** What the rows suggest now. `frame` is null if only time has passed. */
  guess(frame: Frame | null, t: number, context: ContentContext): HeuristicResult | null {
    const look = context.pane.screen.last
    if (!look) return null
    if (frame && !this.#features)
      this.#features = featuresOf(frame, null, {
        observation: look.observation,
        settings: this.#settings,
        mask: this.#mask,
      })
    if (!this.#features) return null
    const features = frame && this.#features.t === frame.t ? this.#features : featuresLater(this.#features, t)
    const ineligible = this.#eligibility.check({
      t,
      mode: context.mode,
      jobNames: context.job?.names ?? [],
      title: look.frame.title,
      agentPrograms: context.agentPrograms,
      promptAt: this.#promptAt,
      hasHigher: hasHigher(context.pane, t),
      anchoredAt: look.observation.anchored && look.observation.view !== 'unknown' ? t : null,
      isUnknownAlternate: look.frame.buffer === 'alternate' && context.pane.pack.agent === 'generic',
      resizedAt: this.#resizedAt,
    })
    this.#ineligible = ineligible
    return this.#analyser.analyse(features, { status: context.status, ineligible })
  }
}

/** A source above the shell reports, or the shell reports that its command runs. */
function hasHigher(pane: Pane, t: number): boolean {
  return pane
    .unexpired(t)
    .some(
      ({ authority, claim }) =>
        rankOf(authority) < rankOf('shell') || (authority === 'shell' && claim.is === 'working'),
    )
}
