import { realpathSync } from 'node:fs'
import { newId } from '../../clock/index.js'
import { createRun, findRun, isEnded, listRuns } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import {
  builtInPipelines,
  forgeFor,
  type PipelineArgs,
  PipelineGit,
  type PullRequestArgs,
  pipelineArgs,
  pipelineRun,
  pullText,
} from '../../pipelines/index.js'
import { freeBranch, worktreePath } from '../../worktrees/index.js'
import { enterProjectWithSettings, requireProjectTrust } from '../project-trust.js'
import { driverLabel, type StartContext, type StartedRun, sandboxOf } from '../start-context.js'
import { readPipeline } from './pipeline-runs.js'
import { type PullOptions, pullArgs } from './pull-args.js'
import { type PipelineOptions, type ProfileSettings, readProfile } from './read-profile.js'
import { refuseBusy } from './start-implementation.js'

export interface PullRequestOptions extends PipelineOptions, PullOptions {
  /** The run whose branch gets a pull request. */
  run?: string | undefined
  /** A branch that gets a pull request; `HEAD` is the one that is checked out. */
  branch?: string | undefined
  /** A pull request that exists: its number or address. */
  pull?: string | undefined
}

type Found = Pick<PipelineArgs, 'repository' | 'workspace' | 'issue' | 'tracker'> & {
  title: string
  pull: PullRequestArgs
}

/** Creates a run of the pull request pipeline: for the branch of a run, or for one that exists. */
export async function startPullRequest(context: StartContext, options: PullRequestOptions): Promise<StartedRun> {
  if (options.placement)
    throw new SignalboxError('E_INPUT', 'pull requests cannot run on a worker', {
      next: 'leave --on, --pool and --needs out',
    })
  const driver = options.isDetached ? 'daemon' : 'caller'
  if (driver === 'daemon') await context.requireDaemon()
  const { store, env, cwd, person } = context
  const home = await enterProjectWithSettings(context, options.trust)
  const { profile, settings, limits } = await readProfile({ home, env, cwd }, options)
  const id = options.id ?? newId('run')
  const found = await findPull(context, id, settings, options)
  await requireProjectTrust(context, { directory: found.repository, revision: found.workspace.base }, options.trust)
  const createdAt = store.clock.now()
  const { title, ...args } = found
  const parsed = pipelineArgs.parse({
    pipeline: 'pull_request',
    workflowId: id,
    createdAt: new Date(createdAt).toISOString(),
    profile,
    autoApprove: options.autoApprove === true,
    ...args,
  })
  const watched = found.pull.number === null ? {} : { pull: String(found.pull.number) }
  const labels = { ...options.labels, ...watched, ...driverLabel(context, driver) }
  const about = { title: title.slice(0, 200), limits, labels, person, ...sandboxOf(home, options.sandbox) }
  await createRun(store, pipelineRun(builtInPipelines(), parsed, about), createdAt, id)
  return { id, home, driver, notices: [] }
}

async function findPull(
  context: StartContext,
  id: string,
  settings: ProfileSettings | null,
  options: PullRequestOptions,
): Promise<Found> {
  const { run, branch, pull } = options
  if ([run, branch, pull].filter(given => given !== undefined).length !== 1)
    throw new SignalboxError('E_INPUT', 'give one of a run, a branch and a pull request')
  if (run !== undefined) return pullOfRun(context, run, settings, options)
  if (branch !== undefined) return pullOfBranch(context, id, branch, settings, options)
  return existingPull(context, id, settings, options)
}

/** A branch that a person or an agent made. */
async function pullOfBranch(
  { store, home, cwd }: StartContext,
  id: string,
  word: string,
  settings: ProfileSettings | null,
  options: PullOptions,
): Promise<Found> {
  const git = new PipelineGit(cwd)
  const root = await git.git.root()
  if (root === null) throw new SignalboxError('E_INPUT', 'this needs a git repository', { next: 'cd into one' })
  const branch = word === 'HEAD' ? await git.git.branch() : word
  if (branch === null || !(await git.git.hasBranch(branch)))
    throw new SignalboxError(
      'E_INPUT',
      branch === null ? 'no branch is checked out' : `there is no branch "${branch}"`,
      {
        next: 'git switch -c <name>',
      },
    )
  const pull = await pullArgs(git, settings, options)
  const target = (await git.commitOf(`${pull.remote}/${pull.base}`)) ?? (await git.commitOf(pull.base))
  if (branch === pull.base || target === null)
    throw new SignalboxError(
      'E_INPUT',
      target === null
        ? `the base branch ${pull.base} is not in this repository`
        : `${branch} is the base of pull requests`,
      { next: target === null ? `git fetch ${pull.remote} ${pull.base}` : 'git switch -c <name>' },
    )
  const base = (await git.git.run(['merge-base', target, branch])).trim()
  const subjects = (await git.git.run(['log', '--reverse', '--format=%s', `${base}..${branch}`, '--'])).trim()
  if (subjects === '')
    throw new SignalboxError('E_INPUT', `${branch} has no commits that ${pull.base} lacks`, { next: 'git commit' })
  const at = await git.checkedOutAt(branch)
  if (at !== null) await refuseBusy(store, git, at, 'wait for its end')
  // The Developer commits what it finds in the directory.
  if (at !== null && pull.follow !== 'no' && (await new PipelineGit(at).git.status()).length > 0)
    throw new SignalboxError('E_INPUT', `${at} has uncommitted changes`, { next: 'commit them, or leave --follow out' })
  const lines = subjects.split('\n')
  const title = lines.length === 1 ? lines[0]! : branch.replace(/^.*\//, '').replace(/[-_]+/g, ' ')
  const path = at ?? worktreePath(home.settings.dataDirectory, root, id)
  return {
    repository: realpathSync(root),
    workspace: { mode: 'worktree', path, branch, base, isNewBranch: false, dirtyBefore: [] },
    issue: null,
    tracker: 'noop',
    title: `Pull request: ${title}`,
    pull: { ...pull, title, body: lines.length === 1 ? '' : lines.map(line => `- ${line}`).join('\n') },
  }
}

async function pullOfRun(
  { store, home, cwd }: StartContext,
  word: string,
  settings: ProfileSettings | null,
  options: PullOptions,
): Promise<Found> {
  const record = await findRun(store, word, cwd)
  const { state, args } = await readPipeline(store, home.settings.dataDirectory, record)
  if (!isEnded(record.status))
    throw new SignalboxError('E_STATE', `run ${record.id} is still ${record.status}`, {
      next: `wait for its end, or signalbox cancel ${record.id}`,
    })
  const git = new PipelineGit(args.repository)
  if (state.branch === null || !(await git.git.hasBranch(state.branch)))
    throw new SignalboxError('E_INPUT', `run ${record.id} has no branch`, { next: `signalbox show ${record.id}` })
  const at = await git.checkedOutAt(state.branch)
  if (at !== null) await refuseBusy(store, git, at, 'wait for its end')
  const base = state.base_commit ?? args.workspace.base
  const pull = await pullArgs(git, settings, options)
  const text = pullText({ state, args: { ...args, pull } })
  return {
    repository: args.repository,
    workspace: {
      mode: 'worktree',
      path: at ?? args.workspace.path,
      branch: state.branch,
      base,
      isNewBranch: false,
      dirtyBefore: [],
    },
    issue: state.issue,
    tracker: args.tracker,
    title: `Pull request: ${text.title}`,
    pull: { ...pull, ...text },
  }
}

/** A pull request that exists, in a worktree of its own. */
async function existingPull(
  { store, home, env, cwd }: StartContext,
  id: string,
  settings: ProfileSettings | null,
  options: PullRequestOptions,
): Promise<Found> {
  const number = Number(/(?:^#?|\/(?:pull|merge_requests)\/)(\d+)(?:[/?#].*)?$/.exec(options.pull ?? '')?.[1])
  if (!Number.isInteger(number))
    throw new SignalboxError('E_INPUT', `"${options.pull ?? ''}" is not a pull request`, {
      next: 'give its number or its address',
    })
  const git = new PipelineGit(cwd)
  const root = await git.git.root()
  if (root === null) throw new SignalboxError('E_INPUT', 'this needs a git repository', { next: 'cd into one' })
  const repository = realpathSync(root)
  const other = (await listRuns(store)).find(
    run => !isEnded(run.status) && run.project === repository && run.labels.pull === String(number),
  )
  if (other)
    throw new SignalboxError('E_STATE', `run ${other.id} already follows #${number}`, {
      next: `signalbox show ${other.id}`,
    })
  const args = await pullArgs(git, settings, { ...options, follow: options.follow ?? 'merged' })
  const pull = await forgeFor(args.forge, env, repository).get(number)
  if (pull.state !== 'open') throw new SignalboxError('E_INPUT', `#${number} is ${pull.state}`)
  if (pull.isReadOnly)
    throw new SignalboxError('E_INPUT', `the branch of #${number} is in a repository that cannot be pushed to`, {
      next: 'its author has to allow edits by maintainers',
    })
  if ((await git.commitOf(pull.head)) === null)
    await git.git.run(['fetch', '--quiet', pull.pushUrl ?? args.remote, `refs/heads/${pull.branch}`])
  return {
    repository,
    workspace: {
      mode: 'worktree',
      path: worktreePath(home.settings.dataDirectory, repository, id),
      branch: await freeBranch(git.git, `signalbox/pr-${number}`),
      base: pull.head,
      isNewBranch: true,
      dirtyBefore: [],
    },
    issue: null,
    tracker: 'noop',
    title: `#${number}: ${pull.title}`,
    pull: { ...args, number, base: pull.base },
  }
}
