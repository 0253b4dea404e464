import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../clock/index.js'
import { listRuns } from '../../engine/index.js'
import type { Home } from '../../host/home/index.js'
import { openHomeStore } from '../../host/index.js'
import { plural } from '../../text/index.js'
import { emptyTrash, removeWorktree, type WorktreeEntry, type WorktreeFate } from '../../worktrees/index.js'
import { ledgerOf } from '../graphs/run-worktrees.js'
import type { Finding } from './checks.js'

/** The worktrees that runs have left. With `fix` those go that hold nothing of their own; the others are only told. */
export async function checkWorktrees(home: Home, options: { fix: boolean }): Promise<Finding[]> {
  const { dataDirectory } = home.settings
  // Without a run there is none; and a store that is not there is not made for the question.
  if (!existsSync(join(dataDirectory, 'signalbox.db'))) return []
  const store = await openHomeStore({ dataDirectory, clock: systemClock, onError: () => undefined })
  try {
    const ledger = await ledgerOf(store, home, { isMeasured: false })
    const of = (...fates: WorktreeFate[]) => ledger.filter(({ fate }) => fates.includes(fate))
    const findings: Finding[] = []
    const needless = of('needless', 'gone')
    const removed = options.fix ? await removeAll(needless) : 0
    const repositories = new Set((await listRuns(store)).map(({ project }) => project).filter(existsSync))
    if (options.fix) for (const repository of repositories) await emptyTrash(repository, systemClock)
    if (removed > 0)
      findings.push(told('note', `${plural(removed, 'worktree')} taken away that held nothing of their own`))
    if (needless.length > removed)
      findings.push(
        told(
          'note',
          `${plural(needless.length - removed, 'worktree')} of ended runs hold nothing of their own`,
          'signalbox doctor --fix',
        ),
      )
    for (const { run, path } of of('forgotten'))
      findings.push(told('note', `${path} is not merged and long unused`, `signalbox runs --worktrees --remove ${run}`))
    for (const { path, dirty, run, runStatus } of of('dirty'))
      findings.push(
        told(
          'warning',
          `${plural(dirty, 'file')} in ${path} not committed, and its run is ${runStatus ?? 'unknown'}`,
          `commit them there, or signalbox runs --worktrees --remove ${run} --force`,
        ),
      )
    if (findings.length === 0) findings.push(told('ok', `${plural(ledger.length, 'worktree')} of runs`))
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

function told(level: Finding['level'], message: string, next?: string): Finding {
  return { check: 'worktrees', level, message, ...(next !== undefined && { next }) }
}
