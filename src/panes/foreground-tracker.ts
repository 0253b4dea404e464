import type { Claim, Evidence } from './evidence.js'
import type { Job } from './job.js'

/** A program in the foreground counts after this long. */
const FOREGROUND_STABLE_S = 1
/** If the prompt cannot be read, the shell is checked after this long, and again this often. */
const CHECK_EVERY_S = 1

const FOREGROUND_REF = 'process/foreground'

/**
 * The program that owns the terminal, by its foreground process group, and what follows from that
 * alone.
 *
 * A shell in the foreground is not proof of a prompt: between two commands of a loop, and while it
 * runs a builtin, the shell owns the terminal as well. So a return to the shell stays pending until
 * something shows that the shell reads a command: its prompt on the screen or, if the prompt cannot
 * be read, a check of the process. The next program in the foreground cancels it.
 */
export class ForegroundTracker {
  #job: Job | null = null
  /** Since when this process is in the foreground. */
  #since = Number.NEGATIVE_INFINITY
  #isReturnPending = false
  #checkedAt: number | null = null

  get job(): Job | null {
    return this.#job
  }

  /**
   * A program gave the terminal back to the shell; whether the shell is at its prompt is unknown.
   */
  get isReturnPending(): boolean {
    return this.#isReturnPending
  }

  confirmReturn(): void {
    this.#isReturnPending = false
  }

  /** Records the program in the foreground; `null` if unknown. */
  foregroundChanged(job: Job | null, t: number): 'same' | 'other' | 'shell' {
    const before = this.#job
    this.#job = job
    // The same process with another name has executed another program.
    if (before?.pid === job?.pid && before?.name === job?.name) return 'same'
    this.#since = t
    this.#checkedAt = null
    const isReturn = before !== null && !before.isShell && job?.isShell === true
    this.#isReturnPending = isReturn || (this.#isReturnPending && job?.isShell === true)
    return isReturn ? 'shell' : 'other'
  }

  /** True if a check of the shell is due now; it then counts as started. */
  isCheckDue(t: number): boolean {
    if (!this.#isReturnPending || t - (this.#checkedAt ?? this.#since) < CHECK_EVERY_S) return false
    this.#checkedAt = t
    return true
  }

  /**
   * A program other than the shell owns the terminal, and there are no reports about it. Not for
   * agents, which are read in other ways, nor for listed programs (`isListed`), whose output the
   * heuristics read.
   */
  evidence(t: number, isListed: (job: Job) => boolean): Evidence | null {
    const job = this.#job
    if (!job || job.isShell || job.agent !== null || job.name === null) return null
    // A program that only starts another one in its place, as env and exec do, disappears at once.
    if (t - this.#since < FOREGROUND_STABLE_S || isListed(job)) return null
    const claim: Claim = { is: 'working', label: job.name }
    return { authority: 'structure', claim, t, expires: null, ref: FOREGROUND_REF }
  }
}
