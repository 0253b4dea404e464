import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Clock } from '../clock/index.js'
import { listRuns, type RunRecord } from '../engine/index.js'
import { Git } from '../git/index.js'
import type { EventStore } from '../store/index.js'
import { workspaceBranch, worktreesDirectory } from './create-workspace.js'
import { fateOf, type WorktreeFacts, type WorktreeFate } from './worktree-fate-table.js'

/** A worktree that a run has created. */
export interface WorktreeEntry extends WorktreeFacts {
  run: string
  path: string
  repository: string | null
  branch: string | null
  /** Null if it was not measured. */
  bytes: number | null
  fate: WorktreeFate
}

export interface WorktreeListOptions {
  store: EventStore
  clock: Clock
  dataDirectory: string
  /** How long a clean, unmerged worktree is left alone. */
  keepMs: number
  /** Reads the size of every file: slow if dependencies are installed. */
  isMeasured?: boolean
}

/** The directory next to a run's worktree that holds those of its parallel branches. */
const BRANCHES = '.branches'

/** All worktrees below the data directory, and those that only git still lists. */
export async function findWorktrees(options: WorktreeListOptions): Promise<WorktreeEntry[]> {
  const runs = new Map((await listRuns(options.store)).map(run => [run.id, run]))
  const base = worktreesDirectory(options.dataDirectory)
  const entries: WorktreeEntry[] = []
  for (const project of directories(base))
    for (const name of directories(join(base, project))) {
      const isOfBranches = name.endsWith(BRANCHES)
      const record = runs.get(isOfBranches ? name.slice(0, -BRANCHES.length) : name)
      const inner = isOfBranches ? directories(join(base, project, name)).map(entry => join(name, entry)) : [name]
      for (const path of inner) entries.push(await readEntry(join(base, project, path), record, options))
    }
  const known = new Set(entries.map(({ path }) => path))
  const repositories = new Set([...runs.values()].map(({ project }) => project).filter(existsSync))
  for (const repository of repositories)
    for (const { path, branch } of await missingWorktrees(repository, base)) {
      if (known.has(path)) continue
      known.add(path)
      entries.push(removedEntry(path, branch, repository, runs.get(runOf(path))))
    }
  return entries
}

/** A worktree of a parallel branch is merged if the run that it belongs to has merged its work. */
async function readEntry(
  path: string,
  record: RunRecord | undefined,
  options: WorktreeListOptions,
): Promise<WorktreeEntry> {
  const isBranch = dirname(path).endsWith(BRANCHES)
  const git = new Git(path)
  const head = await git.head()
  const repository = record && existsSync(record.project) ? record.project : null
  const project = repository === null ? null : new Git(repository)
  const target = (await project?.head()) ?? null
  const targets = [target, isBranch && record ? await commitOf(project, workspaceBranch('run', record.id)) : null]
  const isMerged = head !== null && project !== null && (await isIn(project, head, targets))
  const dirty = head === null ? 0 : (await git.status()).length
  const facts: WorktreeFacts = {
    runStatus: record?.status ?? null,
    isThere: true,
    dirty,
    ahead: head !== null && target !== null && !isMerged ? await commitsAhead(git, target) : isMerged ? 0 : 1,
    isMerged,
    idleMs: Math.max(0, options.clock.now() - Math.max(statSync(path).mtimeMs, record?.updatedAt ?? 0)),
  }
  return {
    ...facts,
    run: record?.id ?? runOf(path),
    path,
    repository,
    branch: head === null ? null : await git.branch(),
    bytes: options.isMeasured ? sizeOf(path) : null,
    fate: fateOf(facts, options.keepMs),
  }
}

async function commitOf(git: Git | null, branch: string): Promise<string | null> {
  const found = await git?.try(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])
  return found?.code === 0 ? found.stdout.trim() : null
}

async function isIn(git: Git, head: string, targets: readonly (string | null)[]): Promise<boolean> {
  for (const target of targets) if (target !== null && (await git.isAncestor(head, target))) return true
  return false
}

async function commitsAhead(git: Git, target: string): Promise<number> {
  const { code, stdout } = await git.try(['rev-list', '--count', `${target}..HEAD`])
  return code === 0 ? Number(stdout.trim()) : 1
}

function removedEntry(
  path: string,
  branch: string | null,
  repository: string,
  record: RunRecord | undefined,
): WorktreeEntry {
  const facts = { runStatus: record?.status ?? null, isThere: false, dirty: 0, ahead: 0, isMerged: false, idleMs: 0 }
  return { ...facts, run: record?.id ?? runOf(path), path, repository, branch, bytes: 0, fate: 'gone' }
}

/** Worktrees of ours that git lists but that are not on disk. */
async function missingWorktrees(repository: string, base: string): Promise<{ path: string; branch: string | null }[]> {
  const { code, stdout } = await new Git(repository).try(['worktree', 'list', '--porcelain', '-z'])
  if (code !== 0) return []
  return stdout.split('\0\0').flatMap(block => {
    const fields = new Map(block.split('\0').map(line => [line.split(' ')[0]!, line.slice(line.indexOf(' ') + 1)]))
    const path = fields.get('worktree') ?? ''
    if (!path.startsWith(`${base}/`) || existsSync(path)) return []
    return [{ path, branch: fields.get('branch')?.replace(/^refs\/heads\//, '') ?? null }]
  })
}

/** The run in the path of a worktree, or of one of its parallel branches. */
function runOf(path: string): string {
  const parts = path.split('/')
  const parent = parts.at(-2) ?? ''
  return parent.endsWith(BRANCHES) ? parent.slice(0, -BRANCHES.length) : parts.at(-1)!
}

function directories(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
    .sort()
}

function sizeOf(path: string): number {
  let sum = 0
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name)
    if (entry.isDirectory()) sum += sizeOf(child)
    else if (entry.isFile()) sum += statSync(child).size
  }
  return sum
}
