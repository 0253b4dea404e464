import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { addWorktree, Git } from '../../git/index.js'
import { branchRef, type Cursor, cursorPath, type GraphWork, isolatedBranch, MAIN } from './graph-work.js'

/**
 * Returns the worktree that a cursor works in, and creates it when the first step of its branch
 * needs it. It starts at the commit of the enclosing worktree, which does not change while its
 * branches work: creating it again gives the same result.
 */
export async function ensureBranchWorkspace(work: GraphWork, cursor: Cursor): Promise<string> {
  const branch = isolatedBranch(work, cursor)
  const path = cursorPath(work, cursor)
  if (branch === null || existsSync(path)) return path
  const own = work.cursors.get(branch)
  const parent = own && work.cursors.get(own.parent ?? MAIN)
  const around = parent ? await ensureBranchWorkspace(work, parent) : work.input.workspace.path
  const git = new Git(around)
  const head = await git.head()
  const ref = branchRef(work.run, branch)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const isKnown = await git.hasBranch(ref)
  await addWorktree(git, { path, branch: ref, base: isKnown ? null : (head ?? 'HEAD'), isForced: true })
  return path
}
