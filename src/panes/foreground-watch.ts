import type { Claim, Evidence } from './evidence.js'
import type { Job } from './job.js'

/** A program in the foreground counts when it has been there for so long. */
const FOREGROUND_STANDS_S = 1

/** The program that has a pane's terminal, and what follows from that alone. */
export class ForegroundWatch {
  readonly #listed: readonly string[]
  #job: Job | null = null
  /** Since when this very program has the terminal. */
  #since = Number.NEGATIVE_INFINITY

  /** `listed`: programs that are read by what they print. */
  constructor(listed: readonly string[]) {
    this.#listed = listed
  }

  get job(): Job | null {
    return this.#job
  }

  /** The program in the foreground; `null` where nobody tells. True: a program has given the terminal back to the shell. */
  runs(job: Job | null, t: number): boolean {
    const before = this.#job
    this.#job = job
    if (before?.pid !== job?.pid || before?.name !== job?.name) this.#since = t
    if (!before || !job || before.name === job.name) return false
    return !before.isShell && job.isShell
  }

  /**
   * A program other than the shell has the terminal, and nobody says anything of it: it was started before anybody watched. Not so for agents
   * and listed programs, which are read in other ways.
   */
  evidence(t: number): Evidence | null {
    const job = this.#job
    if (!job || job.isShell || job.agent !== null || job.name === null) return null
    // A program that only starts another one in its place, as env and exec do, is gone again at once.
    if (t - this.#since < FOREGROUND_STANDS_S) return null
    if (this.#listed.includes(job.name)) return null
    const claim: Claim = { is: 'working', label: job.name }
    return { authority: 'structure', claim, t, expires: null, ref: 'process/foreground' }
  }
}
