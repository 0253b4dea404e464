import type { PaneStatus } from '../status-table.js'
import { GATE_REASONS, type GateReason } from './gate.js'
import { nearMiss } from './near-miss.js'
import { compilePatterns, type HeuristicSettings, matchesAny, type Patterns } from './patterns.js'
import {
  asksApproval,
  hasInterruptMark,
  isAnchor,
  isCompletion,
  isQuestion,
  isSpinnerText,
  maskNumbers,
  type Sight,
} from './sight.js'

/*
 * Guessing from content, for programs that report nothing.
 *
 * The problem: a tail that looks like a prompt, a question or an end is often prose. So nothing here believes a text by itself. A prompt or
 * a question counts only right before the cursor and after it has stood; a word of completion only as a whole row; the mark of a running
 * agent ("esc to interrupt") and a menu count by appearing and disappearing, not by being there.
 *
 * States: a memory per pane of what is present and since when. An edge (mark appeared, mark gone, menu appeared) stays pending until it was
 * acted on, because the look in which it happens is seldom the one in which its conditions hold. Once a run has ended, by anybody's word,
 * nothing is guessed until something starts again.
 *
 * Timing: every knob is a setting. Done too early: `quiet_done_s`; questions of streamed text: `quiet_wait_s`, `flicker_guard_s`; idle while
 * something computes silently: `quiet_idle_s`; the same signal in bursts: `debounce_s`.
 *
 * Not its business: whether it may speak (the gate), and what its words change (the status table).
 */
export type HeuristicSignal = 'heuristic_run' | 'heuristic_done' | 'heuristic_wait' | 'heuristic_idle'

export const SUPPRESS_REASONS = [
  ...GATE_REASONS,
  'negative_pattern',
  'newline_gate',
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

export interface Guess {
  emitted: { signal: HeuristicSignal; reason: string } | null
  suppressed: { signal: HeuristicSignal | 'any'; reason: SuppressReason } | null
  /** Nothing but motion for `stall_s`. */
  isPlateau: boolean
}

const SETTLE_LOOKS = 3
const SETTLE_GAP_S = 0.1
const SETTLE_MAX_S = 0.7
const MOTION_S = 2
/** Times are sums of floating-point seconds: a look exactly at its time must count. */
const ROUNDING_S = 1e-9
const RATE_WINDOW_S = 5

interface Standing {
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
  #anchor: Standing | null = null
  #question: Standing | null = null
  #isSuppressed = false
  #learned: string | null = null
  #isStalled = false
  readonly #emittedAt = new Map<HeuristicSignal, number>()
  #idleHash: number | null = null

  constructor(settings: HeuristicSettings) {
    this.#settings = settings
    this.patterns = compilePatterns(settings.patterns)
    this.#interrupt = { isPresent: false, seenAt: null, goneAt: null, isNew: false }
  }

  /** A run ended, or a person cleared it: nothing is guessed until something starts. */
  suppress(): void {
    this.#isSuppressed = true
    this.#interrupt = { ...this.#interrupt, seenAt: null, goneAt: null, isNew: false }
  }

  /** Somebody said that a run has started. */
  reactivate(): void {
    this.#isSuppressed = false
    this.#interrupt = { ...this.#interrupt, goneAt: null }
  }

  /** The pane rests for certain: what stands before its cursor is its prompt. */
  learnPrompt(beforeCursor: string): void {
    if (beforeCursor.trim() !== '') this.#learned = maskNumbers(beforeCursor)
  }

  look(sight: Sight, context: { status: PaneStatus; gate: GateReason | null }): Guess {
    this.#remember(sight)
    const isPlateau = this.#isPlateau(sight.t)
    const none = { emitted: null, suppressed: null, isPlateau }
    if (context.gate !== null) return { ...none, suppressed: { signal: 'any', reason: context.gate } }
    const wanted = this.#wanted(sight, context.status, isPlateau)
    // Nothing is wanted, or only rest: a text that would have meant more elsewhere is named, because people ask why it did not.
    const isRest = !wanted || ('why' in wanted && wanted.why === 'not_quiet')
    const missed = isRest && context.status !== 'waiting-approval' ? nearMiss(sight, this.patterns) : null
    if (missed) return { ...none, suppressed: missed }
    if (!wanted) return none
    if ('why' in wanted) return { ...none, suppressed: { signal: wanted.signal, reason: wanted.why } }
    const refusal = this.#refusal(wanted.signal, sight)
    if (refusal) return { ...none, suppressed: { signal: wanted.signal, reason: refusal } }
    this.#emit(wanted.signal, sight)
    return { emitted: wanted, suppressed: null, isPlateau }
  }

  #remember(sight: Sight): void {
    const { t } = sight
    if (sight.changed > 0) {
      this.#changeAt = t
      this.#isStalled = false
    }
    if (sight.isMotion) this.#motionAt = t
    if (sight.hash !== this.#hash) {
      this.#hash = sight.hash
      this.#hashSince = t
    }
    this.#lines = [...this.#lines.filter(line => t - line.t < RATE_WINDOW_S), { t, count: sight.newLines }]
    const isMoving = this.#motionAt !== null && t - this.#motionAt <= MOTION_S
    if (isMoving && (sight.isMotion || isSpinnerText(sight, this.patterns))) this.#spinnerAt = t
    this.#followInterrupt(hasInterruptMark(sight, this.patterns), t)
    const asks = asksApproval(sight, this.patterns)
    this.#approval = { isPresent: asks, isNew: asks && (this.#approval.isNew || !this.#approval.isPresent) }
    this.#anchor = stand(this.#anchor, isAnchor(sight, this.patterns, this.#learned) ? sight.beforeCursor : null, t)
    const asked = isQuestion(sight, this.patterns) ? sight.beforeCursor : null
    // New output right after the first sight: it was a line of text on its way.
    const isFlicker =
      this.#question !== null &&
      sight.changed > 0 &&
      t > this.#question.since &&
      t - this.#question.since < this.#settings.flicker_guard_s
    this.#question = stand(isFlicker ? null : this.#question, asked, t)
  }

  #followInterrupt(isPresent: boolean, t: number): void {
    const before = this.#interrupt
    if (isPresent && !before.isPresent) this.#interrupt = { isPresent, seenAt: t, goneAt: null, isNew: true }
    else if (!isPresent && before.isPresent)
      this.#interrupt = { isPresent, seenAt: before.seenAt, goneAt: before.seenAt === null ? null : t, isNew: false }
  }

  #wanted(sight: Sight, status: PaneStatus, isPlateau: boolean): Wanted | null {
    if (status === 'idle' || status === 'done' || status === 'failed') return this.#wantRun(sight)
    if (status === 'running' || status === 'long-running') return this.#wantEnd(sight, isPlateau)
    return null
  }

  #wantRun(sight: Sight): Wanted | null {
    if (this.#interrupt.isNew) return { signal: 'heuristic_run', reason: 'interrupt mark appeared' }
    if (sight.changed === 0) return null
    const { newline_min, burst_min, line_rate_min } = this.#settings
    const signal = 'heuristic_run'
    if (!sight.isChangedAbove) return { signal, why: 'typing' }
    if (sight.newLines < newline_min && sight.burst < burst_min) return { signal, why: 'newline_gate' }
    const rate = this.#lines.reduce((sum, line) => sum + line.count, 0) / RATE_WINDOW_S
    if (line_rate_min > 0 && rate < line_rate_min) return { signal, why: 'line_rate' }
    return { signal, reason: sight.newLines >= newline_min ? 'new lines' : 'burst' }
  }

  /** In this order, the first that holds: an end by prompt or word, by the mark's going, a menu, a question, a plateau, rest. */
  #wantEnd(sight: Sight, isPlateau: boolean): Wanted | null {
    const { t } = sight
    const { quiet_done_s, interrupt_done_s, quiet_wait_s, quiet_idle_s, plateau } = this.#settings
    const quiet = t - this.#changeAt + ROUNDING_S
    const isMarked = this.#interrupt.isPresent
    const isToken = isCompletion(sight, this.patterns)
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
      const stands = t - this.#question.since >= quiet_wait_s - ROUNDING_S
      return stands
        ? { signal: 'heuristic_wait', reason: 'question at the cursor' }
        : { signal: 'heuristic_wait', why: 'flicker_guard' }
    }
    if (isPlateau && plateau === 'wait' && !this.#isStalled) return { signal: 'heuristic_wait', reason: 'plateau' }
    if (this.#interrupt.goneAt !== null) return { signal: 'heuristic_done', why: 'gone_pending' }
    if (this.#anchor || isSpinning) return null
    if (quiet < quiet_idle_s) return { signal: 'heuristic_idle', why: 'not_quiet' }
    if (t - this.#hashSince < quiet_idle_s) return { signal: 'heuristic_idle', why: 'hash_unstable' }
    return { signal: 'heuristic_idle', reason: 'quiet' }
  }

  /** Suppression, negative pattern, debounce: in this order. */
  #refusal(signal: HeuristicSignal, sight: Sight): SuppressReason | null {
    if (this.#isSuppressed && signal !== 'heuristic_run') return 'suppressed'
    if (sight.tail.some(row => matchesAny(this.patterns.negative, row))) return 'negative_pattern'
    const last = this.#emittedAt.get(signal)
    if (last === undefined) return null
    if (sight.t - last < this.#settings.debounce_s) return 'debounce'
    const isSameIdle = signal === 'heuristic_idle' && this.#idleHash === sight.hash
    return isSameIdle && sight.t - last < this.#settings.idle_reemit_s ? 'already_seen' : null
  }

  #emit(signal: HeuristicSignal, sight: Sight): void {
    this.#emittedAt.set(signal, sight.t)
    if (signal === 'heuristic_run') {
      this.reactivate()
      this.#interrupt = { ...this.#interrupt, isNew: false }
    }
    if (signal === 'heuristic_done') {
      if (this.#anchor) this.learnPrompt(sight.beforeCursor)
      this.suppress()
    }
    if (signal === 'heuristic_wait') {
      this.#approval = { ...this.#approval, isNew: false }
      this.#isStalled = true
    }
    if (signal === 'heuristic_idle') this.#idleHash = sight.hash
  }

  #isPlateau(t: number): boolean {
    const isMoving = this.#motionAt !== null && t - this.#motionAt <= MOTION_S
    return isMoving && t - this.#changeAt >= this.#settings.stall_s
  }
}

type Wanted = { signal: HeuristicSignal; reason: string } | { signal: HeuristicSignal; why: SuppressReason }

function stand(before: Standing | null, text: string | null, t: number): Standing | null {
  if (text === null) return null
  if (before?.text !== text) return { text, since: t, looks: 1, lastLook: t }
  const isApart = t - before.lastLook >= SETTLE_GAP_S - ROUNDING_S
  return isApart ? { ...before, looks: before.looks + 1, lastLook: t } : before
}

function isSettled({ looks, since }: Standing, t: number): boolean {
  return looks >= SETTLE_LOOKS || t - since >= SETTLE_MAX_S - ROUNDING_S
}
