import { SignalboxError } from '../../errors/index.js'
import type { NodeContext } from '../node.js'

/**
 * Where the branch of a run is pushed: the remote, or the repository of a pull request from a fork.
 */
export function pushTarget({ args, state }: Pick<NodeContext, 'args' | 'state'>): string {
  return state.pull?.push_url ?? args.pull?.remote ?? 'origin'
}

/** The commit of a branch on the other side; null if it has no such branch. */
export async function remoteHead({ git, ...context }: NodeContext, branch: string): Promise<string | null> {
  const text = await git.git.run(['ls-remote', '--heads', pushTarget(context), `refs/heads/${branch}`])
  return /^([0-9a-f]{40,64})\s/.exec(text)?.[1] ?? null
}

/**
 * Pushes exactly the commit that was decided, and never overwrites: a branch that has other commits
 * is refused by the other side. @returns whether it was already there.
 */
export async function pushBranch(
  context: NodeContext,
  { commit, branch }: { commit: string; branch: string },
): Promise<boolean> {
  const { git } = context
  const there = await remoteHead(context, branch)
  if (there === commit) return true
  if (there !== null && (await git.commitOf(there)) !== null && (await git.git.isAncestor(commit, there))) return true
  const { code, stderr } = await git.push(['--quiet', pushTarget(context), `${commit}:refs/heads/${branch}`])
  if (code === 0) return false
  const isRefused = /non-fast-forward|fetch first|\[rejected\]/.test(stderr)
  throw new SignalboxError(
    'E_GIT',
    isRefused ? `${branch} has commits that are not here` : `git push failed: ${lastLine(stderr)}`,
    {
      next: isRefused
        ? `git pull the branch in ${git.git.cwd}, then signalbox resume`
        : 'correct the cause, then signalbox resume',
    },
  )
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
