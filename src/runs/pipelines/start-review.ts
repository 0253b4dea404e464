import { realpathSync } from 'node:fs'
import { basename } from 'node:path'
import { newId } from '../../clock/index.js'
import { createRun, findRun } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import {
  builtInPipelines,
  fetchPullRequest,
  type GivenFinding,
  type Issue,
  PipelineGit,
  pipelineArgs,
  pipelineRun,
  type ReviewTarget,
  rangeTarget,
  trackerServices,
} from '../../pipelines/index.js'
import { createWorkspace, freeBranch, workspaceBranch, worktreePath } from '../../worktrees/index.js'
import { enterProjectWithSettings, requireProjectTrust } from '../project-trust.js'
import { driverLabel, onWorker, type StartContext, type StartedRun, sandboxOf } from '../start-context.js'
import { readPipeline } from './pipeline-runs.js'
import { placePipeline, refuseOnWorker } from './placed-pipeline.js'
import { type PipelineOptions, readProfile } from './read-profile.js'
import { refuseBusy } from './start-implementation.js'

export interface ReviewOptions extends PipelineOptions {
  /**
   * `a..b`, `a...b`, or one revision: the changes since. Uncommitted changes if nothing is named.
   */
  range?: string | undefined
  /** Uncommitted changes, new files included. */
  isLocal?: boolean | undefined
  /** The branch of a run, compared with where the run started. */
  run?: string | undefined
  /** A pull request on GitHub. */
  pr?: string | undefined
  /** What a person found: the first review of the run. */
  findings?: readonly GivenFinding[] | undefined
  /** `general`, `security`, or types of the person's own. */
  reviewTypes?: readonly string[] | undefined
  /** Has items fixed; left out, the person is asked. */
  fix?: boolean | undefined
  passes?: number | undefined
  /** Commits the fixes; by default everywhere but among uncommitted changes. */
  commit?: boolean | undefined
}

/** Creates a run of the review pipeline. */
export async function startReview(context: StartContext, options: ReviewOptions): Promise<StartedRun> {
  const { placement } = options
  const driver = options.isDetached || placement ? 'daemon' : 'caller'
  if (driver === 'daemon') await context.requireDaemon()
  const { store, env, cwd, person } = context
  const home = await enterProjectWithSettings(context, options.trust)
  const id = options.id ?? newId('run')
  // Mistakes in the arguments come before a missing agent. A pull request gets a worktree, so it is
  // fetched last.
  const named = options.pr === undefined ? await findTarget(context, id, options) : null
  const { profile, limits } = await readProfile({ home, env, cwd }, options)
  const target = named ?? (await findTarget(context, id, options))
  if (placement) refuseOnWorker(profile, { '--pr': options.pr, '--local': target.target.kind === 'local' })
  const found = placement ? await elsewhere(context, id, target) : target
  const revision = found.isOwnWorktree ? found.head : null
  await requireProjectTrust(context, { directory: found.repository, revision }, options.trust)
  const isFixing = await wantsFixes(context, found, options.fix)
  const git = new PipelineGit(found.cwd)
  const createdAt = store.clock.now()
  const args = pipelineArgs.parse({
    pipeline: 'review',
    workflowId: id,
    createdAt: new Date(createdAt).toISOString(),
    profile,
    tracker: 'noop',
    issue: found.issue,
    repository: placement ? found.cwd : found.repository,
    workspace: {
      mode: found.isOwnWorktree ? 'worktree' : 'in_place',
      path: found.cwd,
      branch: await git.git.branch(),
      base: found.head,
      isNewBranch: found.isOwnWorktree && !placement,
      isPlaced: placement !== undefined,
      dirtyBefore: (await git.git.status()).map(({ path }) => path),
    },
    autoApprove: options.autoApprove === true,
    target: found.target,
    findings: options.findings ?? [],
    reviewMode: isFixing ? 'review_fix' : 'review_only',
    // Changes that were not committed before are the person's to commit.
    commitsFixes: isFixing && (options.commit ?? found.target.kind !== 'local'),
  })
  const labels = { ...options.labels, ...driverLabel(context, driver) }
  const title = found.title.slice(0, 200)
  await createRun(
    store,
    pipelineRun(builtInPipelines(), args, {
      title,
      limits,
      labels,
      person,
      project: found.repository,
      ...sandboxOf(home, options.sandbox),
      ...onWorker(placement, found.cwd),
    }),
    createdAt,
    id,
  )
  return { id, home, driver, notices: [] }
}

/** A review that a worker performs: the worker copies a worktree with the end of the range. */
async function elsewhere(context: StartContext, id: string, found: FoundTarget): Promise<FoundTarget> {
  const { target, repository } = found
  if (target.kind !== 'range') return found
  const git = new PipelineGit(repository)
  if ((await git.git.try(['merge-base', '--is-ancestor', target.from, target.to])).code !== 0)
    throw new SignalboxError('E_INPUT', `${target.from} is not an ancestor of ${target.to}: a worker would lack it`, {
      next: 'write the range with three dots: a...b',
    })
  const path = worktreePath(context.home.settings.dataDirectory, repository, id)
  const workspace = {
    mode: 'worktree' as const,
    path,
    branch: await freeBranch(git.git, workspaceBranch('review', id)),
    base: target.to,
    isNewBranch: true,
    isPlaced: true,
    dirtyBefore: [],
  }
  await placePipeline(context, id, git.git, { repository, workspace })
  return { ...found, cwd: path, head: target.to, canFix: true, isOwnWorktree: true }
}

/**
 * With a person at a terminal the run asks which items to fix, once there are some; without one a
 * review only reports, unless fixes are asked for.
 */
async function wantsFixes(
  { asker, store }: StartContext,
  { canFix, cwd, isOwnWorktree }: FoundTarget,
  fix: boolean | undefined,
): Promise<boolean> {
  if (fix && !canFix)
    throw new SignalboxError(
      'E_INPUT',
      'cannot fix items here: the end of the range is not checked out, or there are uncommitted changes',
      { next: 'git switch to it, or leave --fix out' },
    )
  const isAsked = fix ?? (canFix && asker !== null)
  if (!isAsked || isOwnWorktree) return isAsked
  try {
    await refuseBusy(store, new PipelineGit(cwd), cwd, 'review without --fix')
    return true
  } catch (error) {
    if (fix) throw error
    return false
  }
}

interface FoundTarget {
  target: ReviewTarget
  cwd: string
  repository: string
  head: string
  /** The end of the range is checked out in `cwd`: items can be fixed there. */
  canFix: boolean
  /** `cwd` is a worktree that was made for this review. */
  isOwnWorktree: boolean
  title: string
  issue: Issue | null
}

/**
 * What to review, as commits.
 * @throws SignalboxError `E_INPUT`, `E_GIT`, `E_PROGRAM_MISSING`, `E_NOT_SIGNED_IN`
 */
async function findTarget(context: StartContext, id: string, options: ReviewOptions): Promise<FoundTarget> {
  const { range, isLocal, run, pr } = options
  const given = [range !== undefined, isLocal === true, run !== undefined, pr !== undefined]
  if (given.filter(Boolean).length > 1)
    throw new SignalboxError('E_INPUT', 'give only one of a range, --local, --run and --pr')
  if (run !== undefined) return runTarget(context, run)
  const git = new PipelineGit(context.cwd)
  const root = await git.git.root()
  if (root === null) throw new SignalboxError('E_INPUT', 'review needs a git repository', { next: 'cd into one' })
  const repository = realpathSync(root)
  const head = (await git.git.head()) ?? ''
  if (pr !== undefined) return pullRequestTarget(context, git, repository, id, pr)
  const here = { cwd: repository, repository, head, issue: null, isOwnWorktree: false }
  if (range === undefined) {
    const title = `Review of uncommitted changes in ${basename(repository)}`
    return { ...here, target: { kind: 'local' }, canFix: true, title }
  }
  const target = await rangeTarget(git, range)
  const isClean = (await git.git.status()).length === 0
  return { ...here, target, canFix: target.to === head && isClean, title: `Review of ${range}` }
}

async function runTarget({ store, home, cwd }: StartContext, word: string): Promise<FoundTarget> {
  const record = await findRun(store, word, cwd)
  const { state, args } = await readPipeline(store, home.settings.dataDirectory, record)
  if (state.branch === null || state.base_commit === null)
    throw new SignalboxError('E_INPUT', `run ${record.id} has no branch yet`, { next: `signalbox show ${record.id}` })
  const to = await new PipelineGit(args.repository).commitOf(state.branch)
  if (to === null) throw new SignalboxError('E_INPUT', `the branch of run ${record.id} is gone: ${state.branch}`)
  const tree = new PipelineGit(args.workspace.path)
  const isCheckedOut = (await tree.git.head().catch(() => null)) === to
  return {
    target: { kind: 'range', from: state.base_commit, to, label: `${state.branch}` },
    cwd: isCheckedOut ? args.workspace.path : args.repository,
    repository: args.repository,
    isOwnWorktree: false,
    head: to,
    canFix: isCheckedOut && (await tree.git.status()).length === 0,
    title: `Review of run ${record.id}`,
    issue: state.issue,
  }
}

/** The head of a pull request, in a new worktree. */
async function pullRequestTarget(
  { home, env }: StartContext,
  git: PipelineGit,
  repository: string,
  id: string,
  number: string,
): Promise<FoundTarget> {
  const pull = await fetchPullRequest(trackerServices(env, repository), number)
  const { git: plain } = git
  if ((await git.commitOf(pull.headRefOid)) === null)
    await plain.run(['fetch', '--quiet', 'origin', `pull/${pull.number}/head`])
  const base = (await git.commitOf(`origin/${pull.baseRefName}`)) ?? (await git.commitOf(pull.baseRefName))
  if (base === null)
    throw new SignalboxError(
      'E_GIT',
      `the base branch ${pull.baseRefName} of pull request ${number} is not in this repository`,
      {
        next: `git fetch origin ${pull.baseRefName}`,
      },
    )
  const from = (await plain.run(['merge-base', base, pull.headRefOid])).trim()
  const { path } = await createWorkspace(home.settings.dataDirectory, {
    cwd: repository,
    id,
    branch: await freeBranch(plain, `signalbox/pr-${pull.number}`),
    commit: pull.headRefOid,
    worktree: { required: { next: 'commit something first' } },
  })
  return {
    target: { kind: 'range', from, to: pull.headRefOid, label: `#${pull.number}` },
    cwd: path,
    repository,
    isOwnWorktree: true,
    head: pull.headRefOid,
    canFix: true,
    title: `Review of #${pull.number}: ${pull.title}`,
    issue: { id: String(pull.number), title: pull.title, description: pull.body ?? '', status: 'open', url: pull.url },
  }
}
