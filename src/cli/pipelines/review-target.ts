import { realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { SignalboxError } from '../../errors/index.js'
import type { Home } from '../../host/home/index.js'
import { fetchPullRequest, type Issue, PipelineGit, type ReviewTarget, trackerServices } from '../../pipelines/index.js'
import type { EventStore } from '../../store/index.js'
import type { CommandContext } from '../context.js'
import { findRunFor } from '../runs/open-runs.js'
import { readPipeline } from './drive-pipeline.js'

export interface FoundTarget {
  target: ReviewTarget
  cwd: string
  repository: string
  head: string
  /** The end of the range is checked out: what is found can be fixed here. */
  canFix: boolean
  /** Made for this review: it goes when nothing comes of it. */
  isOwnWorktree: boolean
  title: string
  issue: Issue | null
}

/** What is to be reviewed, as commits. @throws SignalboxError `E_INPUT`, `E_GIT`, `E_AGENT_MISSING` */
export async function findTarget(
  context: CommandContext,
  store: EventStore,
  home: Home,
  id: string,
  range: string | undefined,
  options: Record<string, unknown>,
): Promise<FoundTarget> {
  const given = [range !== undefined, options.local === true, options.run !== undefined, options.pr !== undefined]
  if (given.filter(Boolean).length > 1)
    throw new SignalboxError('E_INPUT', 'give one of a range, --local, --run and --pr', {
      next: 'leave the others out',
    })
  if (options.run !== undefined) return runTarget(context, store, home, String(options.run))
  const git = new PipelineGit(context.cwd)
  const root = await git.git.root()
  if (root === null) throw new SignalboxError('E_INPUT', 'review needs a git repository', { next: 'cd into one' })
  const repository = realpathSync(root)
  const head = (await git.git.head()) ?? ''
  if (options.pr !== undefined) return pullTarget(context, home, git, repository, id, String(options.pr))
  const here = { cwd: repository, repository, head, issue: null, isOwnWorktree: false }
  if (range === undefined || options.local === true)
    return {
      ...here,
      target: { kind: 'local' },
      canFix: true,
      title: `Review of what is not committed in ${basename(repository)}`,
    }
  const target = await rangeTarget(git, range)
  const isClean = (await git.git.status()).length === 0
  return { ...here, target, canFix: target.to === head && isClean, title: `Review of ${range}` }
}

async function rangeTarget(git: PipelineGit, range: string): Promise<Extract<ReviewTarget, { kind: 'range' }>> {
  const [left, dots, right] = range.includes('..') ? [...range.split(/(\.{2,3})/, 3)] : [range, '..', 'HEAD']
  const [from, to] = [await git.commitOf(left || 'HEAD'), await git.commitOf(right || 'HEAD')]
  if (from === null || to === null)
    throw new SignalboxError('E_INPUT', `"${range}" names a revision that there is not`, {
      next: 'main..HEAD, or one revision',
    })
  if (dots !== '...') return { kind: 'range', from, to, label: range }
  const base = (await git.git.run(['merge-base', from, to])).trim()
  return { kind: 'range', from: base, to, label: range }
}

async function runTarget(context: CommandContext, store: EventStore, home: Home, word: string): Promise<FoundTarget> {
  const record = await findRunFor(context, store, word)
  const { state, args } = await readPipeline(store, home, record)
  if (state.branch === null || state.base_commit === null)
    throw new SignalboxError('E_INPUT', `run ${record.id} has no branch yet`, { next: `signalbox show ${record.id}` })
  const git = new PipelineGit(args.repository)
  const to = await git.commitOf(state.branch)
  if (to === null) throw new SignalboxError('E_INPUT', `the branch of run ${record.id} is gone: ${state.branch}`)
  const tree = new PipelineGit(args.place.path)
  const isThere = (await tree.git.head().catch(() => null)) === to
  return {
    target: { kind: 'range', from: state.base_commit, to, label: `${state.branch}` },
    cwd: isThere ? args.place.path : args.repository,
    repository: args.repository,
    isOwnWorktree: false,
    head: to,
    canFix: isThere && (await tree.git.status()).length === 0,
    title: `Review of run ${record.id}`,
    issue: state.issue,
  }
}

/** The head of a pull request, in a worktree of its own. */
async function pullTarget(
  context: CommandContext,
  home: Home,
  git: PipelineGit,
  repository: string,
  id: string,
  number: string,
): Promise<FoundTarget> {
  const pull = await fetchPullRequest(trackerServices(context.env, repository), number)
  const { git: plain } = git
  if ((await git.commitOf(pull.headRefOid)) === null)
    await plain.run(['fetch', '--quiet', 'origin', `pull/${pull.number}/head`])
  const remote = await git.commitOf(`origin/${pull.baseRefName}`)
  const base = remote ?? (await git.commitOf(pull.baseRefName))
  if (base === null)
    throw new SignalboxError('E_GIT', `the base of pull request ${number} is not here: ${pull.baseRefName}`, {
      next: `git fetch origin ${pull.baseRefName}`,
    })
  const from = (await plain.run(['merge-base', base, pull.headRefOid])).trim()
  const path = join(home.settings.dataDirectory, 'worktrees', basename(repository), id)
  const branch = await git.freeBranch(`signalbox/pr-${pull.number}`)
  await plain.run(['worktree', 'add', '--quiet', '-b', branch, path, pull.headRefOid])
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
