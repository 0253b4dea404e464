import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isEnded, listRuns, type RunRecord } from '../../engine/index.js'
import { EXIT } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import type { EventStore } from '../../store/index.js'
import { formatAge } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import type { Home } from '../home.js'

interface RunWorktree {
  run: string
  path: string
  branch: string | null
  status: string
  bytes: number
  ageMs: number
  /** Its commits are in what the project has checked out. */
  isMerged: boolean
  /** Changes that no commit has. */
  dirty: number
}

/** Worktrees that runs have left: how big, how old, merged or not. `clean` takes away those that nobody loses anything with. */
export async function runWorktrees(
  context: CommandContext,
  store: EventStore,
  home: Home,
  options: Record<string, unknown>,
): Promise<number> {
  const runs = new Map((await listRuns(store)).map(record => [record.id, record]))
  const base = join(home.settings.dataDirectory, 'worktrees')
  const found: RunWorktree[] = []
  for (const project of entries(base))
    for (const name of entries(join(base, project))) {
      const record = runs.get(name.replace(/\.branches$/, ''))
      const inner = name.endsWith('.branches')
        ? entries(join(base, project, name)).map(entry => join(name, entry))
        : [name]
      for (const path of inner) found.push(await look(join(base, project, path), record))
    }
  let removed = 0
  for (const worktree of found) {
    const mayGo = worktree.dirty === 0 && worktree.isMerged && isOver(runs.get(worktree.run))
    const isGone = options.clean === true && mayGo && (await remove(worktree, runs.get(worktree.run)))
    if (isGone) removed++
    if (options.json) context.json({ ...worktree, isRemoved: isGone })
    else context.out(describe(context, worktree, isGone))
  }
  if (!options.json && found.length === 0) context.out('no worktrees')
  if (!options.json && found.length > 0 && !options.clean)
    context.note('--clean takes away those of ended runs that are merged and hold no changes')
  if (!options.json && options.clean) context.out(`${removed} of ${found.length} taken away`)
  return EXIT.ok
}

function entries(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
    .sort()
}

function isOver(record: RunRecord | undefined): boolean {
  return record === undefined || (isEnded(record.status) && record.status !== 'failed')
}

async function look(path: string, record: RunRecord | undefined): Promise<RunWorktree> {
  const git = new Git(path)
  const head = await git.head()
  const project = record && existsSync(record.project) ? new Git(record.project) : null
  const target = project ? await project.head() : null
  return {
    run: record?.id ?? path.split('/').at(-1)!,
    path,
    branch: await git.branch(),
    status: record?.status ?? 'unknown',
    bytes: sizeOf(path),
    ageMs: Math.max(0, Date.now() - statSync(path).mtimeMs),
    isMerged: head !== null && target !== null && (await project!.isAncestor(head, target)),
    dirty: head === null ? 0 : (await git.status()).length,
  }
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

/** The branch goes with it: everything on it is merged. */
async function remove({ path, branch }: RunWorktree, record: RunRecord | undefined): Promise<boolean> {
  if (!record) return false
  const git = new Git(record.project)
  const { code } = await git.try(['worktree', 'remove', path])
  if (code !== 0) return false
  if (branch !== null) await git.try(['branch', '--quiet', '-d', branch])
  if (existsSync(path)) rmSync(path, { recursive: true, force: true })
  return true
}

function describe(context: CommandContext, worktree: RunWorktree, isGone: boolean): string {
  const { run, status, bytes, ageMs, isMerged, dirty, path } = worktree
  const size = bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`
  const state = isGone ? 'taken away' : dirty > 0 ? `${dirty} uncommitted` : isMerged ? 'merged' : 'not merged'
  return `${run}  ${status.padEnd(9)} ${formatAge(ageMs).padStart(4)} ${size.padStart(9)}  ${context.style(isMerged ? 'dim' : 'yellow', state)}  ${context.style('dim', path)}`
}
