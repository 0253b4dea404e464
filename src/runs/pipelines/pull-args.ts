import { SignalboxError } from '../../errors/index.js'
import { forgeOfRemote, type PipelineGit, type PullRequestArgs } from '../../pipelines/index.js'
import type { ProfileSettings } from './read-profile.js'

/** What a person says about a pull request; what is left out comes from the profile. */
export interface PullOptions {
  draft?: boolean | undefined
  follow?: PullRequestArgs['follow'] | undefined
  pullLabels?: readonly string[] | undefined
  reviewers?: readonly string[] | undefined
}

/** The arguments of a pull request, from options and profile. */
export async function pullArgs(
  git: PipelineGit,
  settings: ProfileSettings | null,
  { draft, follow, pullLabels, reviewers }: PullOptions,
): Promise<PullRequestArgs> {
  const own = settings?.pull_request
  const remote = own?.remote ?? 'origin'
  const forge = await forgeOfRemote(git, remote)
  if (forge === null)
    throw new SignalboxError('E_INPUT', `there is no remote "${remote}" to push to`, {
      next: 'git remote add origin <url>, or set pull_request.remote in the profile',
    })
  return {
    forge: own?.forge ?? forge,
    number: null,
    title: null,
    body: null,
    base: own?.base ?? (await git.defaultBranch()) ?? 'main',
    remote,
    isDraft: draft ?? own?.draft ?? false,
    labels: [...(pullLabels ?? own?.labels ?? [])],
    reviewers: [...(reviewers ?? own?.reviewers ?? [])],
    follow: follow ?? own?.follow ?? 'no',
  }
}
