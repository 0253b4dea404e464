import type { Claim, Evidence } from './evidence.js'
import type { Job } from './job.js'

/** A program in the foreground counts after this long. */
const FOREGROUND_STANDS_S = 1

/** The program in the foreground of a pane, and what follows from that alone. */
export class ForegroundTracker {
  readonly #listed: readonly string[]
  #job: Job | null = null
  /** Since when this process is in the foreground. */
  #since = Number.NEGATIVE_INFINITY

  /** `listed`: programs whose output the heuristics read. */
  constructor(listed: readonly string[]) {
    this.#listed = listed
  }

  get job(): Job | null {
    return this.#job
  }

  /**
   * Sets the program in the foreground; `null` if unknown. True if a program has returned to the
   * shell.
   */
  runs(job: Job | null, t: number): boolean {
    const before = this.#job
    this.#job = job
    if (before?.pid !== job?.pid || before?.name !== job?.name) this.#since = t
    if (!before || !job || before.name === job.name) return false
    return !before.isShell && job.isShell
  }

  /**
   * A program other than the shell is in the foreground, and there are no reports about it: it was
   * started before supervision began. Not for agents and listed programs, which are read in other
   * ways.
   */
  evidence(t: number): Evidence | null {
    const job = this.#job
    if (!job || job.isShell || job.agent !== null || job.name === null) return null
    // A program that only starts another one in its place, as env and exec do, disappears at once.
    if (t - this.#since < FOREGROUND_STANDS_S) return null
    if (this.#listed.includes(job.name)) return null
    const claim: Claim = { is: 'working', label: job.name }
    return { authority: 'structure', claim, t, expires: null, ref: 'process/foreground' }
  }
}
