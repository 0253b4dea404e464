import { existsSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import type { Clock } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { Git } from '../git/index.js'
import type { WorktreeEntry } from './worktree-list.js'

/** Uncommitted changes that were saved before a worktree was removed. */
export interface TrashEntry {
  run: string
  ref: string
  savedAt: number
}

const TRASH = 'refs/signalbox/trash/'
/** How long saved changes can be restored. */
export const TRASH_MS = 7 * 24 * 3_600_000

/**
 * Removes a worktree. Uncommitted changes are saved under `refs/signalbox/trash/<run>` first;
 * commits that exist nowhere else stay on their branch, and a branch whose commits are all
 * elsewhere is deleted.
 * @returns the ref of the saved changes; null if there were none.
 * @throws SignalboxError `E_STATE`, `E_GIT`
 */
export async function removeWorktree(entry: WorktreeEntry): Promise<string | null> {
  const { path, repository, branch, fate, run } = entry
  if (fate === 'busy')
    throw new SignalboxError('E_STATE', `run ${run} can still continue in ${path}`, {
      next: `signalbox cancel ${run}, or wait until it ends`,
    })
  if (repository === null)
    throw new SignalboxError('E_STATE', `the repository of ${path} is unknown`, {
      next: 'run git worktree remove in the repository that created it',
    })
  const git = new Git(repository)
  if (fate === 'gone') {
    await git.run(['worktree', 'prune'])
    return null
  }
  const saved = entry.dirty > 0 ? await saveTrash(entry) : null
  await git.run(['worktree', 'remove', ...(saved === null ? [] : ['--force']), path])
  // `-d` refuses a branch that is not merged into the project's checkout. The work of a parallel
  // branch is in the branch of its run.
  const how = branch?.startsWith('signalbox/branch/') ? '-D' : '-d'
  if (branch !== null && fate === 'needless') await git.try(['branch', '--quiet', how, branch])
  if (existsSync(path)) rmSync(path, { recursive: true, force: true })
  return saved
}

/** A commit of the current tree, including new files, on top of the worktree's HEAD. */
async function saveTrash({ path, run }: WorktreeEntry): Promise<string> {
  const git = new Git(path)
  const name = basename(path)
  // A run may have several worktrees: its own, and those of its parallel branches.
  const ref = `${TRASH}${name === run ? run : `${run}.${name}`}`
  await git.saveTree(await git.treeHash(), ref, `uncommitted changes in the worktree of ${run}`)
  return ref
}

export async function listTrash(repository: string): Promise<TrashEntry[]> {
  const format = '--format=%(refname) %(committerdate:unix)'
  const { code, stdout } = await new Git(repository).try(['for-each-ref', format, TRASH])
  if (code !== 0) return []
  return stdout
    .split('\n')
    .filter(Boolean)
    .map(line => {
      const [ref = '', at = '0'] = line.split(' ')
      return { ref, run: ref.slice(TRASH.length), savedAt: Number(at) * 1000 }
    })
}

/** Deletes saved changes after their retention time. @returns how many. */
export async function emptyTrash(repository: string, clock: Clock): Promise<number> {
  const old = (await listTrash(repository)).filter(({ savedAt }) => clock.now() - savedAt > TRASH_MS)
  for (const { ref } of old) await new Git(repository).run(['update-ref', '-d', ref])
  return old.length
}
