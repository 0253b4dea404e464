import { realpathSync } from 'node:fs'
import { newId } from '../../clock/index.js'
import { createRun, isEnded, listRuns } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import {
  builtInPipelines,
  fetchIssue,
  issueOfText,
  type PipelineArgs,
  PipelineGit,
  pipelineArgs,
  pipelineRun,
  resolvePlanPath,
  slugOf,
  trackerServices,
  validatePlan,
} from '../../pipelines/index.js'
import type { EventStore } from '../../store/index.js'
import { plural } from '../../text/index.js'
import { freeBranch, requireCommit, worktreePath } from '../../worktrees/index.js'
import { uncommittedText } from '../graphs/start-graph.js'
import { enterProjectWithSettings, requireProjectTrust } from '../project-trust.js'
import { driverLabel, onWorker, type StartContext, type StartedRun, sandboxOf } from '../start-context.js'
import { placePipeline, refuseOnWorker } from './placed-pipeline.js'
import { type PullOptions, pullArgs } from './pull-args.js'
import { type PipelineOptions, readProfile } from './read-profile.js'

export interface ImplementationOptions extends PipelineOptions {
  /** A file, `gh:12`, an issue's address, or `jira:KEY-1`. */
  issue?: string | undefined
  /** What to do, instead of an issue. */
  title?: string | undefined
  description?: string | undefined
  /** Text of a design that the plan must follow. */
  design?: string | undefined
  /** Text of a plan, instead of the Architect's. */
  plan?: string | undefined
  /** Lets a plan that is not valid reach the gate. */
  acceptsInvalidPlan?: boolean | undefined
  branch?: string | undefined
  /** The revision that the branch starts from. */
  base?: string | undefined
  /** Works in the directory itself instead of a worktree. */
  isInPlace?: boolean | undefined
  /** In place: leaves changed files as they are. */
  allowsDirty?: boolean | undefined
  /** Stops once the plan waits for approval. */
  planOnly?: boolean | undefined
  /** Comments on the issue when the run ends. */
  comment?: boolean | undefined
  /** Opens a pull request in the end; left out, the profile says whether. */
  opensPull?: boolean | undefined
  pull?: PullOptions | undefined
}

/** Creates a run of the implementation pipeline: from an issue to a branch. */
export async function startImplementation(context: StartContext, options: ImplementationOptions): Promise<StartedRun> {
  const { placement } = options
  const driver = options.isDetached || placement ? 'daemon' : 'caller'
  if (driver === 'daemon') await context.requireDaemon()
  const { store, env, cwd, person } = context
  // Mistakes in the arguments come before a missing agent.
  const plan = readPlan(options)
  if ([options.issue, options.title, options.design, plan ?? undefined].every(given => given === undefined))
    throw new SignalboxError('E_INPUT', 'no issue was given', {
      next: 'signalbox implement issue.md, or --title "what to do"',
    })
  const home = await enterProjectWithSettings(context, options.trust)
  const { profile, settings, limits } = await readProfile({ home, env, cwd }, options)
  const opensPull = options.opensPull ?? settings?.pull_request.open
  if (placement)
    refuseOnWorker(profile, { '--in-place': options.isInPlace, '--pr': opensPull, '--comment': options.comment })
  const { issue, warning, tracker } = await fetchIssue(trackerServices(env, cwd), {
    reference: options.issue ?? null,
    title: options.title ?? (options.issue === undefined ? titleOf(plan, options.design) : null),
    description: options.description ?? null,
    tracker: settings?.tracker ?? null,
  })
  const id = options.id ?? newId('run')
  const createdAt = store.clock.now()
  const issueKey = slugOf(issue.id)
  const found = await planWorkspace(context, id, issueKey, options)
  const { dirty } = found
  const revision = found.workspace.mode === 'worktree' ? found.workspace.base : null
  await requireProjectTrust(context, { directory: found.repository, revision }, options.trust)
  const placed = placement ? await placePipeline(context, id, new Git(found.repository), found) : null
  const { repository, workspace } = placed ?? found
  const args = pipelineArgs.parse({
    pipeline: 'implementation',
    workflowId: id,
    createdAt: new Date(createdAt).toISOString(),
    profile,
    tracker,
    issue,
    design: options.design === undefined ? null : { content: options.design, source: 'file' },
    plan,
    planPath: resolvePlanPath(profile.planPathPattern, { createdAt, issueKey, run: id }),
    repository,
    workspace,
    autoApprove: options.autoApprove === true,
    planOnly: options.planOnly === true,
    comment: options.comment === true,
    pull: opensPull ? await pullArgs(new PipelineGit(cwd), settings, options.pull ?? {}) : null,
  })
  const labels = { ...options.labels, ...driverLabel(context, driver) }
  const title = issue.title.slice(0, 200)
  await createRun(
    store,
    pipelineRun(builtInPipelines(), args, {
      title,
      limits,
      labels,
      person,
      ...sandboxOf(home, options.sandbox),
      ...(placed?.project && { project: placed.project }),
      ...onWorker(placement, workspace.path),
    }),
    createdAt,
    id,
  )
  const notices = [
    ...(warning === null ? [] : [warning]),
    ...(dirty > 0 ? [uncommittedText(dirty, workspace.base)] : []),
  ]
  return { id, home, driver, notices }
}

/** Without an issue, a plan or a design says what to do. */
function titleOf(plan: string | null, design: string | undefined): string | null {
  if (plan !== null) return validatePlan(plan).goal
  return design === undefined ? null : issueOfText(design, 'the design').title
}

function readPlan({ plan, acceptsInvalidPlan }: ImplementationOptions): string | null {
  if (plan === undefined) return null
  const { isValid, issues } = validatePlan(plan)
  if (isValid || acceptsInvalidPlan) return plan
  throw new SignalboxError('E_INPUT', `the plan is not valid: ${issues.join(', ')}`, {
    next: 'correct it, or let it reach the gate with --force',
  })
}

type PipelineWorkspace = PipelineArgs['workspace']

/** Where an implementation works. @throws SignalboxError `E_INPUT`, `E_STATE` */
async function planWorkspace(
  { store, home, cwd }: StartContext,
  run: string,
  issueKey: string,
  options: ImplementationOptions,
): Promise<{ repository: string; workspace: PipelineWorkspace; dirty: number }> {
  const git = new PipelineGit(cwd)
  const { repository, head } = await requireCommit(git.git, 'implement', 'run git init and commit something first')
  if (options.isInPlace)
    return { repository, workspace: await workInPlace(store, git, repository, head, options), dirty: 0 }
  const wanted = options.branch ?? `signalbox/${issueKey}`
  const exists = options.branch !== undefined && (await git.git.hasBranch(options.branch))
  if (exists) await refuseCheckedOut(store, git, wanted)
  const from = options.base ?? (await git.defaultBranch()) ?? 'HEAD'
  const base = exists ? await git.commitOf(wanted) : await git.commitOf(from)
  if (base === null)
    throw new SignalboxError('E_INPUT', `unknown revision "${from}"`, { next: 'git branch --all lists branches' })
  return {
    repository,
    dirty: (await git.git.status()).length,
    workspace: {
      mode: 'worktree',
      path: worktreePath(home.settings.dataDirectory, repository, run),
      branch: exists ? wanted : await freeBranch(git.git, wanted),
      base,
      isNewBranch: !exists,
      dirtyBefore: [],
    },
  }
}

/** A branch can be checked out in one place only; the error says where. */
async function refuseCheckedOut(store: EventStore, git: PipelineGit, branch: string): Promise<void> {
  const path = await git.checkedOutAt(branch)
  if (path === null) return
  const owner = (await listRuns(store)).find(run => run.cwd === path)
  if (owner)
    throw new SignalboxError('E_STATE', `${branch} is checked out in the worktree of run ${owner.id}`, {
      next: isEnded(owner.status)
        ? `remove it: signalbox runs --worktrees --remove ${owner.id}; or choose another branch`
        : `signalbox cancel ${owner.id}, or choose another branch`,
    })
  throw new SignalboxError('E_INPUT', `${branch} is checked out in ${path}`, {
    next: 'use --in-place there, or choose another branch',
  })
}

/**
 * Refuses a directory in which another pipeline works, or with a merge conflict.
 * @throws SignalboxError `E_STATE`, `E_INPUT`
 */
export async function refuseBusy(store: EventStore, git: PipelineGit, path: string, next: string): Promise<void> {
  const owner = (await listRuns(store)).find(
    run => run.cwd === path && !isEnded(run.status) && run.labels.pipeline !== undefined,
  )
  if (owner)
    throw new SignalboxError('E_STATE', `run ${owner.id} already works in this directory`, {
      next: `signalbox cancel ${owner.id}, or ${next}`,
    })
  const conflicts = await git.conflicts()
  if (conflicts.length > 0)
    throw new SignalboxError('E_INPUT', `merge conflict in ${conflicts.join(', ')}`, { next: 'resolve it first' })
}

async function workInPlace(
  store: EventStore,
  git: PipelineGit,
  repository: string,
  head: string,
  { branch, allowsDirty }: ImplementationOptions,
): Promise<PipelineWorkspace> {
  const status = await git.git.status()
  const path = realpathSync(repository)
  await refuseBusy(store, git, path, 'leave --in-place out')
  if (status.length > 0 && !allowsDirty)
    throw new SignalboxError('E_INPUT', `uncommitted changes in ${plural(status.length, 'file')}`, {
      next: 'commit them, keep them with --allow-dirty, or leave --in-place out to work in a worktree',
    })
  const current = await git.git.branch()
  if (branch !== undefined && branch !== current) {
    const exists = await git.git.hasBranch(branch)
    await git.git.run(['switch', '--quiet', ...(exists ? [branch] : ['-c', branch])])
  } else if (current === null)
    throw new SignalboxError('E_INPUT', 'no branch is checked out here (detached HEAD)', {
      next: 'name one with --branch, or leave --in-place out',
    })
  else if (branch === undefined && current === (await git.defaultBranch()))
    throw new SignalboxError('E_INPUT', `${current} is the default branch`, {
      next: 'name another with --branch, or leave --in-place out',
    })
  return {
    mode: 'in_place',
    path,
    branch: branch ?? current,
    base: head,
    isNewBranch: false,
    dirtyBefore: status.map(({ path: file }) => file),
  }
}
