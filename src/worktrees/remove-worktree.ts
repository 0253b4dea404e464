import { existsSync, rmSync } from 'node:fs'
import type { Clock } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { Git } from '../git/index.js'
import type { WorktreeEntry } from './worktree-ledger.js'

/** What was saved of a worktree before it was taken away. */
export interface TrashEntry {
  run: string
  ref: string
  savedAt: number
}

const TRASH = 'refs/signalbox/trash/'
/** How long what was saved can be had back. */
export const TRASH_MS = 7 * 24 * 3_600_000

/**
 * Takes a worktree away. What is not committed is saved under `refs/signalbox/trash/<run>` first; commits that are nowhere else stay on their
 * branch, and a branch whose commits are all elsewhere goes with it.
 * @returns the ref that holds what was not committed; null where there was nothing to save. @throws SignalboxError `E_STATE`, `E_GIT`
 */
export async function removeWorktree(entry: WorktreeEntry): Promise<string | null> {
  const { path, repository, branch, fate, run } = entry
  if (fate === 'busy')
    throw new SignalboxError('E_STATE', `run ${run} may go on in ${path}`, {
      next: `signalbox cancel ${run}, or let it come to its end`,
    })
  if (repository === null)
    throw new SignalboxError('E_STATE', `nobody knows which repository ${path} belongs to`, {
      next: 'git worktree remove, where it was made',
    })
  const git = new Git(repository)
  if (fate === 'gone') {
    await git.run(['worktree', 'prune'])
    return null
  }
  const saved = entry.dirty > 0 ? await saveTrash(entry) : null
  await git.run(['worktree', 'remove', ...(saved === null ? [] : ['--force']), path])
  // `-d` refuses what is not merged.
  if (branch !== null && fate === 'needless') await git.try(['branch', '--quiet', '-d', branch])
  if (existsSync(path)) rmSync(path, { recursive: true, force: true })
  return saved
}

/** A commit of the tree as it is, new files included, on top of what the worktree has checked out. */
async function saveTrash({ path, run }: WorktreeEntry): Promise<string> {
  const git = new Git(path)
  const ref = `${TRASH}${run}`
  await git.saveTree(await git.treeHash(), ref, `what was not committed in the worktree of ${run}`)
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

/** Lets go of what nobody asked back in time. @returns how many. */
export async function emptyTrash(repository: string, clock: Clock): Promise<number> {
  const old = (await listTrash(repository)).filter(({ savedAt }) => clock.now() - savedAt > TRASH_MS)
  for (const { ref } of old) await new Git(repository).run(['update-ref', '-d', ref])
  return old.length
}
