import type { PaneStatus } from '../status-table.js'
import {
  asksApproval,
  type ContentFeatures,
  hasInterruptMark,
  isAnchor,
  isCompletion,
  isQuestion,
  isSpinnerText,
  maskNumbers,
} from './content-features.js'
import { INELIGIBLE_REASONS, type IneligibleReason } from './eligibility.js'
import { nearMiss } from './near-miss.js'
import { compilePatterns, type HeuristicSettings, matchesAny, type Patterns } from './patterns.js'

/*
 * Guesses from content, for programs that report nothing.
 *
 * The problem: text that looks like a prompt, a question or an end is often prose. So no text is
 * trusted by itself. A prompt or a question counts only directly before the cursor and after it has
 * stayed for a while; a completion word only as a whole row; the mark of a running agent ("esc to
 * interrupt") and a menu count when they appear and disappear, not by being there.
 *
 * States: for each pane, what is present and since when. An edge (mark appeared, mark gone, menu
 * appeared) stays pending until it was acted on, because its conditions seldom hold in the look in
 * which it happens. Once a run has ended, reported by any source, nothing is guessed until
 * something starts again.
 *
 * Timing: every threshold is a setting (`heuristics.*`). Done too early: `quiet_done_s`; questions
 * in streamed text: `quiet_wait_s`, `flicker_guard_s`; idle while something computes silently:
 * `quiet_idle_s`; the same signal in bursts: `debounce_s`.
 *
 * Not its responsibility: whether it may report (eligibility.ts), and what its signals change (the
 * status table).
 */
export type HeuristicSignal = 'heuristic_run' | 'heuristic_done' | 'heuristic_wait' | 'heuristic_idle'

export const SUPPRESS_REASONS = [
  ...INELIGIBLE_REASONS,
  'negative_pattern',
  'too_little_output',
  'line_rate',
  'typing',
  'not_quiet',
  'hash_unstable',
  'not_at_cursor',
  'outside_live_rows',
  'quoted',
  'interrupt_present',
  'gone_pending',
  'already_seen',
  'flicker_guard',
  'debounce',
  'suppressed',
] as const
export type SuppressReason = (typeof SUPPRESS_REASONS)[number]

export interface HeuristicResult {
  emitted: { signal: HeuristicSignal; reason: string } | null
  suppressed: { signal: HeuristicSignal | 'any'; reason: SuppressReason } | null
  /** Nothing but motion for `stall_s`. */
  isStalled: boolean
}

const SETTLE_LOOKS = 3
const SETTLE_GAP_S = 0.1
const SETTLE_MAX_S = 0.7
const MOTION_S = 2
/** Times are sums of floating-point seconds: a look exactly at its time must count. */
const ROUNDING_S = 1e-9
const RATE_WINDOW_S = 5

interface LastingText {
  text: string
  since: number
  looks: number
  lastLook: number
}

export class HeuristicAnalyser {
  readonly #settings: HeuristicSettings
  readonly patterns: Patterns
  #changeAt = 0
  #motionAt: number | null = null
  #hash: number | null = null
  #hashSince = 0
  #lines: { t: number; count: number }[] = []
  #interrupt: { isPresent: boolean; seenAt: number | null; goneAt: number | null; isNew: boolean }
  #approval: { isPresent: boolean; isNew: boolean } = { isPresent: false, isNew: false }
  #spinnerAt: number | null = null
  #anchor: LastingText | null = null
  #question: LastingText | null = null
  #isSuppressed = false
  #learned: string | null = null
  #isWaitSent = false
  readonly #emittedAt = new Map<HeuristicSignal, number>()
  #idleHash: number | null = null

  constructor(settings: HeuristicSettings) {
    this.#settings = settings
    this.patterns = compilePatterns(settings.patterns)
    this.#interrupt = { isPresent: false, seenAt: null, goneAt: null, isNew: false }
  }

  /** A run ended, or a person cleared it: guess nothing until something starts. */
  suppress(): void {
    this.#isSuppressed = true
    this.#interrupt = { ...this.#interrupt, seenAt: null, goneAt: null, isNew: false }
  }

  /** A source reported that a run has started. */
  reactivate(): void {
    this.#isSuppressed = false
    this.#interrupt = { ...this.#interrupt, goneAt: null }
  }

  /** The pane is certainly idle: the text before its cursor is its prompt. */
  learnPrompt(beforeCursor: string): void {
    if (beforeCursor.trim() !== '') this.#learned = maskNumbers(beforeCursor)
  }

  isAtPrompt(features: ContentFeatures): boolean {
    return isAnchor(features, this.patterns, this.#learned)
  }

  /** A menu or a question is on the screen, as of the last look. */
  get isAsking(): boolean {
    return this.#approval.isPresent || this.#question !== null
  }

  analyse(
    features: ContentFeatures,
    context: { status: PaneStatus; ineligible: IneligibleReason | null },
  ): HeuristicResult {
    this.#remember(features)
    const isStalled = this.#isStalled(features.t)
    const none = { emitted: null, suppressed: null, isStalled }
    if (context.ineligible !== null) return { ...none, suppressed: { signal: 'any', reason: context.ineligible } }
    const wanted = this.#wanted(features, context.status, isStalled)
    // Nothing is wanted, or only idle: name a text that would have meant more elsewhere, because
    // people ask why it had no effect.
    const isIdle = !wanted || ('why' in wanted && wanted.why === 'not_quiet')
    const missed = isIdle && context.status !== 'waiting-approval' ? nearMiss(features, this.patterns) : null
    if (missed) return { ...none, suppressed: missed }
    if (!wanted) return none
    if ('why' in wanted) return { ...none, suppressed: { signal: wanted.signal, reason: wanted.why } }
    const refusal = this.#refusal(wanted.signal, features)
    if (refusal) return { ...none, suppressed: { signal: wanted.signal, reason: refusal } }
    this.#emittedAt.set(wanted.signal, features.t)
    return { emitted: wanted, suppressed: null, isStalled }
  }

  #remember(features: ContentFeatures): void {
    const { t } = features
    if (features.changed > 0) {
      this.#changeAt = t
      this.#isWaitSent = false
    }
    if (features.isMotion) this.#motionAt = t
    if (features.hash !== this.#hash) {
      this.#hash = features.hash
      this.#hashSince = t
    }
    this.#lines = [...this.#lines.filter(line => t - line.t < RATE_WINDOW_S), { t, count: features.newLines }]
    const isMoving = this.#motionAt !== null && t - this.#motionAt <= MOTION_S
    if (isMoving && (features.isMotion || isSpinnerText(features, this.patterns))) this.#spinnerAt = t
    this.#followInterrupt(hasInterruptMark(features, this.patterns), t)
    const asks = asksApproval(features, this.patterns)
    this.#approval = { isPresent: asks, isNew: asks && (this.#approval.isNew || !this.#approval.isPresent) }
    this.#anchor = follow(
      this.#anchor,
      isAnchor(features, this.patterns, this.#learned) ? features.beforeCursor : null,
      t,
    )
    const asked = isQuestion(features, this.patterns) ? features.beforeCursor : null
    // New output right after the first look: it was a line of streamed text.
    const isFlicker =
      this.#question !== null &&
      features.changed > 0 &&
      t > this.#question.since &&
      t - this.#question.since < this.#settings.flicker_guard_s
    this.#question = follow(isFlicker ? null : this.#question, asked, t)
  }

  #followInterrupt(isPresent: boolean, t: number): void {
    const before = this.#interrupt
    if (isPresent && !before.isPresent) this.#interrupt = { isPresent, seenAt: t, goneAt: null, isNew: true }
    else if (!isPresent && before.isPresent)
      this.#interrupt = { isPresent, seenAt: before.seenAt, goneAt: before.seenAt === null ? null : t, isNew: false }
  }

  #wanted(features: ContentFeatures, status: PaneStatus, isStalled: boolean): Wanted | null {
    if (status === 'idle' || status === 'done' || status === 'failed') return this.#wantRun(features)
    if (status === 'running' || status === 'long-running') return this.#wantEnd(features, isStalled)
    return null
  }

  #wantRun(features: ContentFeatures): Wanted | null {
    if (this.#interrupt.isNew) return { signal: 'heuristic_run', reason: 'interrupt mark appeared' }
    if (features.changed === 0) return null
    const { newline_min, burst_min, line_rate_min } = this.#settings
    const signal = 'heuristic_run'
    if (!features.isChangedAbove) return { signal, why: 'typing' }
    if (features.newLines < newline_min && features.burst < burst_min) return { signal, why: 'too_little_output' }
    const rate = this.#lines.reduce((sum, line) => sum + line.count, 0) / RATE_WINDOW_S
    if (line_rate_min > 0 && rate < line_rate_min) return { signal, why: 'line_rate' }
    return { signal, reason: features.newLines >= newline_min ? 'new lines' : 'burst' }
  }

  /**
   * The first that holds, in this order: an end by prompt or word, by the mark's disappearance, a
   * menu, a question, a stall, idle.
   */
  #wantEnd(features: ContentFeatures, isStalled: boolean): Wanted | null {
    const { t } = features
    const { quiet_done_s, interrupt_done_s, quiet_wait_s, quiet_idle_s, stalled } = this.#settings
    const quiet = t - this.#changeAt + ROUNDING_S
    const isMarked = this.#interrupt.isPresent
    const isToken = isCompletion(features, this.patterns)
    const isSpinning = this.#spinnerAt !== null && t - this.#spinnerAt <= MOTION_S
    if (this.#anchor && !isMarked) {
      const wasSpinning = this.#spinnerAt !== null && this.#anchor.since - this.#spinnerAt < quiet_done_s
      if (isSettled(this.#anchor, t) || wasSpinning) return { signal: 'heuristic_done', reason: 'prompt at the cursor' }
    }
    if (isToken && !isMarked && quiet >= quiet_done_s) return { signal: 'heuristic_done', reason: 'completion word' }
    if (this.#interrupt.goneAt !== null) {
      if (quiet >= (interrupt_done_s ?? quiet_done_s) || this.#anchor || isToken)
        return { signal: 'heuristic_done', reason: 'interrupt mark gone' }
    }
    if (this.#approval.isNew) return { signal: 'heuristic_wait', reason: 'menu appeared' }
    if (isMarked) return { signal: 'heuristic_wait', why: 'interrupt_present' }
    if (this.#question) {
      const hasLasted = t - this.#question.since >= quiet_wait_s - ROUNDING_S
      return hasLasted
        ? { signal: 'heuristic_wait', reason: 'question at the cursor' }
        : { signal: 'heuristic_wait', why: 'flicker_guard' }
    }
    if (isStalled && stalled === 'wait' && !this.#isWaitSent) return { signal: 'heuristic_wait', reason: 'stalled' }
    if (this.#interrupt.goneAt !== null) return { signal: 'heuristic_done', why: 'gone_pending' }
    if (this.#anchor || isSpinning) return null
    if (quiet < quiet_idle_s) return { signal: 'heuristic_idle', why: 'not_quiet' }
    if (t - this.#hashSince < quiet_idle_s) return { signal: 'heuristic_idle', why: 'hash_unstable' }
    return { signal: 'heuristic_idle', reason: 'quiet' }
  }

  /** Suppression, negative pattern, debounce: in this order. */
  #refusal(signal: HeuristicSignal, features: ContentFeatures): SuppressReason | null {
    if (this.#isSuppressed && signal !== 'heuristic_run') return 'suppressed'
    if (features.tail.some(row => matchesAny(this.patterns.negative, row))) return 'negative_pattern'
    const last = this.#emittedAt.get(signal)
    if (last === undefined) return null
    if (features.t - last < this.#settings.debounce_s) return 'debounce'
    const isSameIdle = signal === 'heuristic_idle' && this.#idleHash === features.hash
    return isSameIdle && features.t - last < this.#settings.idle_reemit_s ? 'already_seen' : null
  }

  /**
   * A guess has changed the status. Only then is it done with: one that lost to a better source is
   * repeated while it holds.
   */
  applied(signal: HeuristicSignal, features: ContentFeatures): void {
    if (signal === 'heuristic_run') {
      this.reactivate()
      this.#interrupt = { ...this.#interrupt, isNew: false }
    }
    if (signal === 'heuristic_done') {
      if (this.#anchor) this.learnPrompt(features.beforeCursor)
      this.suppress()
    }
    if (signal === 'heuristic_wait') {
      this.#approval = { ...this.#approval, isNew: false }
      this.#isWaitSent = true
    }
    if (signal === 'heuristic_idle') this.#idleHash = features.hash
  }

  #isStalled(t: number): boolean {
    const isMoving = this.#motionAt !== null && t - this.#motionAt <= MOTION_S
    return isMoving && t - this.#changeAt >= this.#settings.stall_s
  }
}

type Wanted = { signal: HeuristicSignal; reason: string } | { signal: HeuristicSignal; why: SuppressReason }

function follow(before: LastingText | null, text: string | null, t: number): LastingText | null {
  if (text === null) return null
  if (before?.text !== text) return { text, since: t, looks: 1, lastLook: t }
  const isApart = t - before.lastLook >= SETTLE_GAP_S - ROUNDING_S
  return isApart ? { ...before, looks: before.looks + 1, lastLook: t } : before
}

function isSettled({ looks, since }: LastingText, t: number): boolean {
  return looks >= SETTLE_LOOKS || t - since >= SETTLE_MAX_S - ROUNDING_S
}
