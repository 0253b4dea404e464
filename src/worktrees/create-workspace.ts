import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SignalboxError } from '../errors/index.js'
import { addWorktree, Git } from '../git/index.js'

/*
 * The workspace of a run: a worktree of its own on a branch of its own, or the directory itself.
 * `createWorkspace` makes it when a run starts (graphs, oneshots, reviews, sessions);
 * `ensureWorkspace` makes it in the first step of a pipeline and makes it again if it is missing.
 * Parallel branches of a graph have worktrees beside it: engine/graph/branch-workspace.ts.
 */

/** Where a run works. Branch and base are null if it works in the directory itself. */
export interface Workspace {
  path: string
  branch: string | null
  base: string | null
}

/** The directory with the worktrees of all runs. */
export function worktreesDirectory(dataDirectory: string): string {
  return join(dataDirectory, 'worktrees')
}

export function worktreePath(dataDirectory: string, repository: string, run: string): string {
  return join(worktreesDirectory(dataDirectory), basename(repository), run)
}

/** The branch of a run that names none. */
export function workspaceBranch(kind: 'run' | 'oneshot' | 'review', run: string): string {
  return `signalbox/${kind}/${run}`
}

/** @throws SignalboxError `E_INPUT` outside a repository, and in one without a commit. */
export async function requireCommit(
  git: Git,
  subject: string,
  next: string,
): Promise<{ repository: string; head: string }> {
  const [repository, head] = [await git.root(), await git.head()]
  if (repository === null || head === null)
    throw new SignalboxError('E_INPUT', `${subject} needs a git repository with a commit`, { next })
  return { repository, head }
}

export interface WorkspaceOptions {
  cwd: string
  /** The id of the run. */
  id: string
  /** If absent, `workspaceBranch('run', id)`. */
  branch?: string | undefined
  /** The commit that the branch starts at. If absent, the one that is checked out. */
  commit?: string | undefined
  /** `if-possible`: the directory itself outside a repository and in one without a commit. */
  worktree: 'none' | 'if-possible' | { required: { next: string } }
}

/** Makes a new worktree on a new branch. Uncommitted changes stay where they are. */
export async function createWorkspace(
  dataDirectory: string,
  { cwd, id, branch = workspaceBranch('run', id), commit, worktree }: WorkspaceOptions,
): Promise<Workspace> {
  const git = new Git(cwd)
  if (typeof worktree === 'object') await requireCommit(git, 'a worktree', worktree.required.next)
  const [root, head] = [await git.root(), await git.head()]
  if (root === null || head === null || worktree === 'none')
    return { path: realpathSync(cwd), branch: null, base: null }
  const [path, base] = [worktreePath(dataDirectory, root, id), commit ?? head]
  await addWorktree(git, { path, branch, base })
  return { path, branch, base }
}

/** Removes a workspace that was just made and that nothing has used. */
export async function discardWorkspace(cwd: string, { path, branch }: Workspace): Promise<void> {
  if (branch === null) return
  const git = new Git(cwd)
  await git.try(['worktree', 'remove', '--force', path])
  await git.try(['branch', '-D', branch])
}

/**
 * The worktree of a run, made if it is missing. The run's id is stored on its branch before the
 * branch exists, so that a later attempt can distinguish its own branch from another one of the
 * same name.
 */
export async function ensureWorkspace(
  git: Git,
  request: { run: string; path: string; branch: string; base: string; isNewBranch: boolean },
): Promise<{ branch: string; made: 'new' | 'restored' | 'there' }> {
  const { run, path, base, isNewBranch } = request
  const own = await branchOf(git, run)
  const branch = own ?? (isNewBranch ? await freeBranch(git, request.branch) : request.branch)
  if (existsSync(path) && (await new Git(path).head()) !== null) return { branch, made: 'there' }
  await git.try(['worktree', 'prune'])
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const exists = await git.hasBranch(branch)
  if (isNewBranch) await git.run(['config', `branch.${branch}.signalbox-run`, run])
  await addWorktree(git, { path, branch, base: exists ? null : base })
  return { branch, made: exists && isNewBranch ? 'restored' : 'new' }
}

/** The branch, or the first of `-2`, `-3` … that does not exist. */
export async function freeBranch(git: Git, wanted: string): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`
    if (!(await git.hasBranch(name))) return name
  }
}

async function branchOf(git: Git, run: string): Promise<string | null> {
  const { code, stdout } = await git.try(['config', '--get-regexp', '^branch\\..*\\.signalbox-run$'])
  if (code !== 0) return null
  for (const line of stdout.split('\n')) {
    const match = /^branch\.(.+)\.signalbox-run (.+)$/.exec(line)
    if (match?.[2] === run && (await git.hasBranch(match[1]!))) return match[1]!
  }
  return null
}
