import { realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isEnded, listRuns } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Home } from '../../host/home/index.js'
import { type PipelineArgs, PipelineGit } from '../../pipelines/index.js'
import type { EventStore } from '../../store/index.js'
import type { CommandContext } from '../context.js'

type Place = PipelineArgs['place']

export interface PlaceWish {
  run: string
  issueKey: string
  branch: string | null
  base: string | null
  isInPlace: boolean
  allowsDirty: boolean
}

/** Where an implementation works. @throws SignalboxError `E_INPUT`, `E_STATE` */
export async function findPlace(
  context: CommandContext,
  store: EventStore,
  home: Home,
  wish: PlaceWish,
): Promise<{ repository: string; place: Place; dirty: number }> {
  const git = new PipelineGit(context.cwd)
  const repository = await git.git.root()
  const head = await git.git.head()
  if (repository === null || head === null)
    throw new SignalboxError('E_INPUT', 'implement needs a git repository with a commit', {
      next: 'git init and commit something first',
    })
  const status = await git.git.status()
  if (wish.isInPlace) return { repository, place: await inPlace(store, git, repository, head, wish), dirty: 0 }
  const wanted = wish.branch ?? `signalbox/${wish.issueKey}`
  const isThere = wish.branch !== null && (await git.hasBranch(wish.branch))
  if (isThere) await refuseTaken(store, git, wanted)
  const from = wish.base ?? (await git.defaultBranch()) ?? 'HEAD'
  const base = isThere ? await git.commitOf(wanted) : await git.commitOf(from)
  if (base === null)
    throw new SignalboxError('E_INPUT', `there is no revision "${from}"`, { next: 'git branch --all lists branches' })
  return {
    repository,
    dirty: status.length,
    place: {
      mode: 'worktree',
      path: join(home.settings.dataDirectory, 'worktrees', basename(repository), wish.run),
      branch: isThere ? wanted : await git.freeBranch(wanted),
      base,
      isNewBranch: !isThere,
      dirtyBefore: [],
    },
  }
}

/** A branch is worked on in one place: whose that is, the person should hear before anything is begun. */
async function refuseTaken(store: EventStore, git: PipelineGit, branch: string): Promise<void> {
  const path = await git.checkedOutAt(branch)
  if (path === null) return
  const owner = (await listRuns(store)).find(run => run.cwd === path)
  if (owner)
    throw new SignalboxError('E_STATE', `run ${owner.id} has ${branch} in its worktree`, {
      next: isEnded(owner.status)
        ? `signalbox runs --worktrees --remove ${owner.id} lets go of it; or choose another branch`
        : `signalbox cancel ${owner.id}, or choose another branch`,
    })
  throw new SignalboxError('E_INPUT', `${branch} is checked out in ${path}`, {
    next: '--in-place works there, or choose another branch',
  })
}

/** @throws SignalboxError `E_STATE` where a run of a pipeline works in this very directory, `E_INPUT` in the middle of a merge. */
export async function refuseBusy(store: EventStore, git: PipelineGit, path: string, next: string): Promise<void> {
  const owner = (await listRuns(store)).find(
    run => run.cwd === path && !isEnded(run.status) && run.labels.pipeline !== undefined,
  )
  if (owner)
    throw new SignalboxError('E_STATE', `run ${owner.id} works in this directory already`, {
      next: `signalbox cancel ${owner.id}, or ${next}`,
    })
  const conflicts = await git.conflicts()
  if (conflicts.length > 0)
    throw new SignalboxError('E_INPUT', `there is a merge conflict in ${conflicts.join(', ')}`, {
      next: 'settle it first',
    })
}

async function inPlace(
  store: EventStore,
  git: PipelineGit,
  repository: string,
  head: string,
  wish: PlaceWish,
): Promise<Place> {
  const status = await git.git.status()
  const path = realpathSync(repository)
  await refuseBusy(store, git, path, 'leave --in-place out')
  if (status.length > 0 && !wish.allowsDirty)
    throw new SignalboxError('E_INPUT', `${status.length} files are changed here`, {
      next: 'commit them, or --allow-dirty leaves them as they are; without --in-place the run has a worktree',
    })
  const current = await git.git.branch()
  if (wish.branch !== null && wish.branch !== current) {
    const isThere = await git.hasBranch(wish.branch)
    await git.git.run(['switch', '--quiet', ...(isThere ? [wish.branch] : ['-c', wish.branch])])
  } else if (current === null)
    throw new SignalboxError('E_INPUT', 'no branch is checked out here (detached HEAD)', {
      next: '--branch <name> makes one, or leave --in-place out',
    })
  else if (wish.branch === null && current === (await git.defaultBranch()))
    throw new SignalboxError('E_INPUT', `${current} is the default branch`, {
      next: '--branch <name> works on another, or leave --in-place out',
    })
  return {
    mode: 'in_place',
    path,
    branch: wish.branch ?? current,
    base: head,
    isNewBranch: false,
    dirtyBefore: status.map(({ path: file }) => file),
  }
}
