import { delay, systemClock } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import type { Git } from './git.js'

/*
 * `git worktree add` reads the entries of all worktrees, and dies if another process is just
 * writing one. Branches of a graph and runs in the same repository do that at the same time, so
 * such a failure is retried. It may have created the branch already, which the retry then checks
 * out.
 *
 * Symptom → setting: worktrees fail on a very slow disk → ATTEMPTS.
 */
const RACE = /failed to read .*\/worktrees\//
const ATTEMPTS = 40
const PAUSE_MS = 50

interface NewWorktree {
  path: string
  branch: string
  /** Where the new branch starts; null checks out an existing branch. */
  base: string | null
  /** Allow an existing branch whose worktree is registered but missing. */
  isForced?: boolean
}

/** @throws SignalboxError `E_GIT` */
export async function addWorktree(git: Git, { path, branch, base, isForced }: NewWorktree): Promise<void> {
  const existing = [...(isForced ? ['--force'] : []), path, branch]
  let target = base === null ? existing : ['-b', branch, path, base]
  for (let attempt = 1; ; attempt++) {
    try {
      await git.run(['worktree', 'add', '--quiet', ...target])
      return
    } catch (error) {
      const isRace = error instanceof SignalboxError && RACE.test(error.message)
      if (!isRace || attempt === ATTEMPTS) throw error
      await delay(systemClock, PAUSE_MS)
      if (await git.hasBranch(branch)) target = existing
    }
  }
}
