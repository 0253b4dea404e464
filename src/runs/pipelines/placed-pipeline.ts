import { SignalboxError } from '../../errors/index.js'
import { addWorktree, type Git } from '../../git/index.js'
import type { PipelineArgs, PipelineRunOptions } from '../../pipelines/index.js'
import type { StartContext } from '../start-context.js'
import { shareWorkspace } from '../workspaces/workspace-source.js'

type Args = Pick<PipelineArgs, 'repository' | 'workspace'>

/**
 * The worktree of a pipeline that workers perform. It is created at the start, because a worker
 * gets a copy of it and has no access to the repository. Its commits are fetched into this
 * worktree.
 */
export async function placePipeline(
  context: StartContext,
  id: string,
  git: Git,
  { repository, workspace }: Args,
): Promise<Args & Pick<PipelineRunOptions, 'project'>> {
  const { path, branch, base, isNewBranch } = workspace
  await addWorktree(git, { path, branch: branch!, base: isNewBranch ? base : null })
  await shareWorkspace(context, id, path)
  return { repository: path, workspace: { ...workspace, isNewBranch: false, isPlaced: true }, project: repository }
}

/**
 * Operations that only the machine with the repository can perform. @throws SignalboxError
 * `E_INPUT`
 */
export function refuseOnWorker(profile: PipelineArgs['profile'], wanted: Readonly<Record<string, unknown>>): void {
  const [option] = Object.entries(wanted).find(([, value]) => value) ?? []
  if (option !== undefined)
    throw new SignalboxError('E_INPUT', `${option} cannot be combined with --on, --pool or --needs`, {
      next: 'leave one of them out: workers have neither your directory nor the remote of the repository',
    })
  if (profile.dayUsd !== null)
    throw new SignalboxError('E_INPUT', 'a profile with a budget per day cannot be used on a worker', {
      next: 'workers do not see what other runs spent; use a budget per task or per run',
    })
}
