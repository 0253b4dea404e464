import { existsSync } from 'node:fs'
import { systemClock } from '../clock/index.js'
import { listRuns } from '../engine/index.js'
import type { Home } from '../host/home/index.js'
import { mayHaveStore, openHomeStore } from '../host/index.js'
import { listWorktrees } from '../runs/index.js'
import { plural, runWord } from '../text/index.js'
import { emptyTrash, removeWorktree, type WorktreeEntry, type WorktreeFate } from '../worktrees/index.js'
import type { DoctorFinding } from './finding.js'

/**
 * Checks the worktrees that runs have left. With `fix`, removes those without work of their own.
 */
export async function checkWorktrees(home: Home, { fix }: { fix: boolean }): Promise<DoctorFinding[]> {
  // Without a store there are no runs, and a check does not create one.
  if (!mayHaveStore(home.settings)) return []
  const store = await openHomeStore({ ...home.settings, clock: systemClock, onError: () => undefined })
  try {
    const worktrees = await listWorktrees({ store, home, clock: systemClock }, { isMeasured: false })
    const of = (...fates: WorktreeFate[]) => worktrees.filter(({ fate }) => fates.includes(fate))
    const findings: DoctorFinding[] = []
    const leftover = of('needless', 'gone')
    const removed = fix ? await removeAll(leftover) : 0
    const repositories = new Set((await listRuns(store)).map(({ project }) => project).filter(existsSync))
    if (fix) for (const repository of repositories) await emptyTrash(repository, systemClock)
    if (removed > 0) findings.push(finding('note', `${plural(removed, 'leftover worktree')} removed`))
    if (leftover.length > removed)
      findings.push(
        finding(
          'note',
          `${plural(leftover.length - removed, 'leftover worktree')} can be removed`,
          'signalbox doctor --fix',
        ),
      )
    for (const { run, path } of of('forgotten'))
      findings.push(
        finding(
          'note',
          `${path} is not merged and has not been used for a long time`,
          `signalbox runs --worktrees --remove ${run}`,
        ),
      )
    for (const { path, dirty, run, runStatus } of of('dirty'))
      findings.push(
        finding(
          'warning',
          `${plural(dirty, 'uncommitted file')} in ${path}, whose run is ${runStatus ? runWord({ status: runStatus }) : 'unknown'}`,
          `commit them there, or signalbox runs --worktrees --remove ${run} --force`,
        ),
      )
    if (findings.length === 0) findings.push(finding('ok', `${plural(worktrees.length, 'worktree')} of runs`))
    return findings
  } finally {
    await store.close()
  }
}

async function removeAll(entries: readonly WorktreeEntry[]): Promise<number> {
  let count = 0
  for (const entry of entries)
    if (
      await removeWorktree(entry).then(
        () => true,
        () => false,
      )
    )
      count++
  return count
}

function finding(level: DoctorFinding['level'], message: string, next?: string): DoctorFinding {
  return { check: 'worktrees', level, message, ...(next !== undefined && { next }) }
}
