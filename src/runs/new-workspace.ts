import { realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { GraphInput } from '../engine/index.js'
import { Git } from '../git/index.js'

/** A worktree and a branch of its own for a run, from a commit; the directory as it is where there is no repository or none is wanted. */
export async function newWorkspace(
  dataDirectory: string,
  { cwd, id, commit, isWanted }: { cwd: string; id: string; commit?: string | undefined; isWanted: boolean },
): Promise<GraphInput['workspace']> {
  const git = new Git(cwd)
  const [root, head] = [await git.root(), await git.head()]
  if (root === null || head === null || !isWanted) return { path: realpathSync(cwd), branch: null, base: null }
  const path = join(dataDirectory, 'worktrees', basename(root), id)
  const branch = `signalbox/run/${id}`
  await git.run(['worktree', 'add', '--quiet', '-b', branch, path, commit ?? head])
  return { path, branch, base: commit ?? head }
}
