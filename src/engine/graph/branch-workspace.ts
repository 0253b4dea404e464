import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { Git } from '../../git/index.js'
import { branchRef, type Cursor, cursorPath, type GraphWork, isolatedBranch, MAIN } from './graph-work.js'

/**
 * Returns the worktree that a cursor works in, and creates it when the first step of its branch
 * needs it. It starts at the commit of the enclosing worktree, which does not change while its
 * branches work: creating it again gives the same result.
 */
export async function ensureWorkspace(work: GraphWork, cursor: Cursor): Promise<string> {
  const branch = isolatedBranch(work, cursor)
  const path = cursorPath(work, cursor)
  if (branch === null || existsSync(path)) return path
  const own = work.cursors.get(branch)
  const parent = own && work.cursors.get(own.parent ?? MAIN)
  const around = parent ? await ensureWorkspace(work, parent) : work.input.workspace.path
  const git = new Git(around)
  const head = await git.head()
  const ref = branchRef(work.run, branch)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const isKnown = (await git.try(['rev-parse', '--verify', '--quiet', `refs/heads/${ref}`])).code === 0
  await git.run(
    isKnown
      ? ['worktree', 'add', '--quiet', '--force', path, ref]
      : ['worktree', 'add', '--quiet', '-b', ref, path, head ?? 'HEAD'],
  )
  return path
}
