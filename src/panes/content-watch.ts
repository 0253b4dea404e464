import type { Observation } from '../screen/index.js'
import { type Frame, hasSameContent, type RowMask, rowChanges } from '../terminal/index.js'
import { rankOf } from './evidence.js'
import {
  Gate,
  type Guess,
  HeuristicAnalyser,
  type HeuristicSettings,
  hasLiveMenu,
  type Sight,
  sightAgain,
  sightOf,
  spinnerMask,
} from './heuristics/index.js'
import type { Job } from './job.js'
import type { Pane } from './pane.js'
import type { PaneStatus } from './status-table.js'
import { timeless } from './supervisor-parts.js'

/** What a frame brought since the one before it. */
export type Novelty = 'news' | 'change' | 'motion' | 'nothing'

/** The pane as the gate of the heuristics must know it. */
export interface ContentContext {
  pane: Pane
  job: Job | null
  agentPrograms: readonly string[]
  mode: 'auto' | 'off'
  status: PaneStatus
}

/** Follows what a pane's rows say from frame to frame, and guesses from it where nobody better speaks. */
export class ContentWatch {
  readonly #settings: HeuristicSettings
  readonly #gate: Gate
  readonly #analyser: HeuristicAnalyser
  readonly #mask: RowMask
  #frame: Frame | null = null
  #sight: Sight | null = null
  #promptAt: number | null = null
  #resizedAt: number | null = null
  #gateReason: string | null = null

  constructor(settings: HeuristicSettings) {
    this.#settings = settings
    this.#gate = new Gate(settings)
    this.#analyser = new HeuristicAnalyser(settings)
    this.#mask = spinnerMask(this.#analyser.patterns)
  }

  /** Why heuristics are silent; null while they may speak. */
  get gateReason(): string | null {
    return this.#gateReason
  }

  /** The newest frame brought nothing but text behind a prompt. */
  get isTyping(): boolean {
    return this.#sight?.isTyped === true
  }

  /** The shell's integration has said something. */
  heardShell(t: number): void {
    this.#promptAt = t
  }

  resized(t: number): void {
    this.#resizedAt = t
  }

  /** Another program, another picture; what it has learned of prompts and marks stays with the pane. */
  forget(): void {
    this.#frame = null
    this.#sight = null
    this.#promptAt = null
  }

  suppress(): void {
    this.#analyser.suppress()
  }

  reactivate(): void {
    this.#analyser.reactivate()
  }

  /** The pane rests for certain: what stands before its cursor is its prompt. */
  learnPrompt(): void {
    if (this.#sight?.isCursorAtEnd === true) this.#analyser.learnPrompt(this.#sight.beforeCursor)
  }

  /** Compares the frame with the one before it. A clock that counts is a change, and no news. */
  follow(frame: Frame, observation: Observation): Novelty {
    const before = this.#frame
    this.#frame = frame
    if (!before || before.seq === frame.seq) return 'nothing'
    if (this.#sight && hasSameContent(before, frame)) {
      this.#sight = { ...sightAgain(this.#sight, frame.t), hasLiveMenu: hasLiveMenu(observation) }
      return 'nothing'
    }
    const sight = sightOf(frame, before, { observation, settings: this.#settings, mask: this.#mask })
    this.#sight = sight
    if (sight.changed === 0) return sight.isMotion ? 'motion' : 'nothing'
    const isNews = rowChanges(before.lines, frame.lines, timeless).changed.length > 0 || sight.newLines > 0
    return isNews ? 'news' : 'change'
  }

  /** What the rows suggest now. `frame` is null when only time has passed. */
  guess(frame: Frame | null, t: number, context: ContentContext): Guess | null {
    const look = context.pane.screen.last
    if (!look) return null
    if (frame && !this.#sight)
      this.#sight = sightOf(frame, null, { observation: look.observation, settings: this.#settings, mask: this.#mask })
    if (!this.#sight) return null
    const sight = frame && this.#sight.t === frame.t ? this.#sight : sightAgain(this.#sight, t)
    const gate = this.#gate.ask({
      t,
      mode: context.mode,
      jobName: context.job?.name ?? null,
      title: look.frame.title,
      agentPrograms: context.agentPrograms,
      promptAt: this.#promptAt,
      hasHigher: hasHigher(context.pane, t),
      anchoredAt: look.observation.anchored && look.observation.view !== 'unknown' ? t : null,
      isUnknownAlternate: look.frame.buffer === 'alternate' && context.pane.pack.agent === 'generic',
      resizedAt: this.#resizedAt,
    })
    this.#gateReason = gate
    return this.#analyser.look(sight, { status: context.status, gate })
  }
}

/** Somebody above the shell speaks, or the shell says that its command runs. */
function hasHigher(pane: Pane, t: number): boolean {
  return pane
    .standing(t)
    .some(
      ({ authority, claim }) =>
        rankOf(authority) < rankOf('shell') || (authority === 'shell' && claim.is === 'working'),
    )
}
