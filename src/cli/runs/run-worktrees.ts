import { existsSync } from 'node:fs'
import { systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Home } from '../../host/home/index.js'
import { listWorktrees } from '../../runs/index.js'
import type { EventStore } from '../../store/index.js'
import { formatAge, plural, runWord } from '../../text/index.js'
import { removeWorktree, TRASH_MS, type WorktreeEntry, type WorktreeFate } from '../../worktrees/index.js'
import { askLine } from '../ask.js'
import type { CommandContext } from '../context.js'

const DAY_MS = 24 * 3_600_000

/** `--clean` removes these: nothing is lost with them. */
const REMOVABLE: readonly WorktreeFate[] = ['needless', 'gone']

export interface WorktreeFlags {
  clean?: boolean | undefined
  remove?: string | undefined
  force?: boolean | undefined
  yes?: boolean | undefined
  json?: boolean | undefined
}

/**
 * Prints the worktrees that runs have left. `clean` removes those whose work is elsewhere; `remove`
 * a named one. Uncommitted changes need `force` and the typed path, and are saved first.
 */
export async function runWorktrees(
  context: CommandContext,
  store: EventStore,
  home: Home,
  options: WorktreeFlags,
): Promise<number> {
  const found = await listWorktrees({ store, home, clock: systemClock }, { isMeasured: options.remove === undefined })
  if (options.remove !== undefined) return removeOf(context, found, options.remove, options)
  const shown: (WorktreeEntry & { isRemoved: boolean })[] = []
  for (const entry of found) {
    const isRemoved = options.clean === true && REMOVABLE.includes(entry.fate) && (await tryRemove(context, entry))
    shown.push({ ...entry, isRemoved })
    if (!options.json) context.out(describe(context, entry, isRemoved))
  }
  if (options.json) {
    context.json(shown)
    return EXIT.ok
  }
  if (found.length === 0) context.out('no worktrees')
  else if (options.clean) context.out(`${shown.filter(({ isRemoved }) => isRemoved).length} of ${found.length} removed`)
  else context.note('--clean removes those without work of their own; --remove <run> removes one of the others')
  return EXIT.ok
}

async function tryRemove(context: CommandContext, entry: WorktreeEntry): Promise<boolean> {
  try {
    await removeWorktree(entry)
    return true
  } catch (error) {
    context.note(`signalbox: ${(error as Error).message}`)
    return false
  }
}

async function removeOf(
  context: CommandContext,
  found: readonly WorktreeEntry[],
  word: string,
  options: WorktreeFlags,
): Promise<number> {
  const entries = found.filter(({ run, path }) => run === word || path === word)
  if (entries.length === 0)
    throw new SignalboxError('E_UNKNOWN', `no worktree belongs to "${word}"`, { next: 'signalbox runs --worktrees' })
  for (const entry of entries) if (entry.fate === 'dirty') await requireForce(context, entry, options)
  for (const entry of entries) await removeEntry(context, entry, options)
  return EXIT.ok
}

async function removeEntry(context: CommandContext, entry: WorktreeEntry, options: WorktreeFlags): Promise<void> {
  const saved = await removeWorktree(entry)
  const isLeft = entry.branch !== null && entry.fate !== 'needless'
  if (options.json) context.json({ ...entry, isRemoved: !existsSync(entry.path), saved })
  else {
    context.out(`${entry.path} removed${isLeft ? `; branch ${entry.branch} kept` : ''}`)
    if (saved !== null)
      context.note(
        `uncommitted changes are kept for ${TRASH_MS / DAY_MS} days: git -C ${entry.repository} switch -c <branch> ${saved}`,
      )
  }
}

/** Uncommitted changes are removed only if the person confirms the path. */
async function requireForce(
  context: CommandContext,
  { path, dirty }: WorktreeEntry,
  options: WorktreeFlags,
): Promise<void> {
  const refusal = (next: string) =>
    new SignalboxError('E_INPUT', `${plural(dirty, 'uncommitted file')} in ${path}`, {
      next,
    })
  if (options.force !== true) throw refusal('commit them, or use --force: it saves them and removes the worktree')
  if (options.yes === true) return
  if (!context.isInteractive) throw refusal('without a terminal, use --force --yes')
  if ((await askLine(`Type the path to remove it (${path}): `)).trim() !== path)
    throw refusal('that was not the path; nothing was changed')
}

function describe(context: CommandContext, entry: WorktreeEntry, isGone: boolean): string {
  const { run, runStatus, idleMs, fate, dirty, ahead, path } = entry
  const bytes = entry.bytes ?? 0
  const size = bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`
  const texts: Record<WorktreeFate, string> = {
    busy: dirty > 0 ? `in use, ${dirty} uncommitted` : 'in use',
    dirty: `${dirty} uncommitted`,
    needless: ahead === 0 && !entry.isMerged ? 'no changes' : 'merged',
    kept: 'not merged',
    forgotten: 'not merged, unused for a long time',
    gone: 'directory is gone',
  }
  const state = isGone ? 'removed' : texts[fate]
  const colour = fate === 'needless' || fate === 'busy' ? 'dim' : 'yellow'
  return `${run}  ${(runStatus ? runWord({ status: runStatus }) : 'unknown').padEnd(9)} ${formatAge(idleMs).padStart(10)} ${size.padStart(9)}  ${context.style(colour, state)}  ${context.style('dim', path)}`
}
