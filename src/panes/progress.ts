/*
 * Does a pane that claims to work make progress? Bytes prove nothing: a spinner spins, a clock
 * counts, a title blinks while nothing happens. Progress is what a person would call news: rows
 * with new text, a counter of tokens or per cent that moved, a hook, a line in the transcript.
 * Everything else that moves is motion.
 *
 *   frozen        a row claims work, and neither news nor motion for `frozenS`: the program hangs
 *   no-progress   active without news for `afterS` (`toolS` while a tool runs, which may be silent)
 *
 * Waiting for a retry that counts down, or for sub-agents whose counters move, is never stuck.
 * Being stuck is a mark, not a status; any progress removes it. Marked too early: raise `afterS`; a
 * build that is silent for long: raise `toolS`.
 */
export type Stuck = null | 'frozen' | 'no-progress'

export interface ProgressQuestion {
  t: number
  isActive: boolean
  /** A row on the screen claims work. */
  hasWorkingRow: boolean
  isToolRunning: boolean
  /** A countdown to a retry, background sub-agents, a limit with a known end. */
  isExcused: boolean
}

export class ProgressTracker {
  readonly #afterS: number
  readonly #toolS: number
  readonly #frozenS: number
  #newsAt = 0
  #motionAt = 0
  #isStalled = false

  constructor(options: { afterS: number; toolS: number; frozenS: number }) {
    this.#afterS = options.afterS
    this.#toolS = options.toolS
    this.#frozenS = options.frozenS
  }

  progressed(t: number): void {
    this.#newsAt = Math.max(this.#newsAt, t)
    this.#isStalled = false
  }

  moved(t: number): void {
    this.#motionAt = Math.max(this.#motionAt, t)
  }

  /** The content heuristics have seen nothing but motion for long enough. */
  stalled(): void {
    this.#isStalled = true
  }

  judge({ t, isActive, hasWorkingRow, isToolRunning, isExcused }: ProgressQuestion): Stuck {
    if (!isActive || isExcused) return null
    const still = t - Math.max(this.#newsAt, this.#motionAt)
    // A tool may be silent; its own row does not move then, either.
    if (hasWorkingRow && !isToolRunning && still >= this.#frozenS) return 'frozen'
    const silent = t - this.#newsAt
    return this.#isStalled || silent >= (isToolRunning ? this.#toolS : this.#afterS) ? 'no-progress' : null
  }
}
