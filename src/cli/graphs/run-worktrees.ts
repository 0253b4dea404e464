import { existsSync } from 'node:fs'
import { systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Home } from '../../host/home/index.js'
import type { EventStore } from '../../store/index.js'
import { formatAge, plural } from '../../text/index.js'
import {
  removeWorktree,
  TRASH_MS,
  type WorktreeEntry,
  type WorktreeFate,
  worktreeLedger,
} from '../../worktrees/index.js'
import { askLine } from '../ask.js'
import type { CommandContext } from '../context.js'

const DAY_MS = 24 * 3_600_000

/** What `runs --worktrees` takes away by itself: whatever is lost with it is elsewhere. */
const NEEDLESS: readonly WorktreeFate[] = ['needless', 'gone']

/**
 * Worktrees that runs have left: how big, how old, merged or not. `clean` takes away those that nobody loses anything with, `remove` one that is
 * named: with its changes only by force, by whoever types its path, and after they were saved.
 */
export async function runWorktrees(
  context: CommandContext,
  store: EventStore,
  home: Home,
  options: Record<string, unknown>,
): Promise<number> {
  const found = await ledgerOf(store, home, { isMeasured: options.remove === undefined })
  if (options.remove !== undefined) return removeOne(context, found, String(options.remove), options)
  const shown: (WorktreeEntry & { isRemoved: boolean })[] = []
  for (const entry of found) {
    const isRemoved = options.clean === true && NEEDLESS.includes(entry.fate) && (await tryRemove(context, entry))
    shown.push({ ...entry, isRemoved })
    if (!options.json) context.out(describe(context, entry, isRemoved))
  }
  if (options.json) {
    context.json(shown)
    return EXIT.ok
  }
  if (found.length === 0) context.out('no worktrees')
  else if (options.clean)
    context.out(`${shown.filter(({ isRemoved }) => isRemoved).length} of ${found.length} taken away`)
  else context.note('--clean takes away those that hold nothing of their own; --remove <run> one of the others')
  return EXIT.ok
}

export function ledgerOf(
  store: EventStore,
  home: Home,
  { isMeasured }: { isMeasured: boolean },
): Promise<WorktreeEntry[]> {
  const { dataDirectory } = home.settings
  return worktreeLedger({ store, clock: systemClock, dataDirectory, keepMs: keepMs(home), isMeasured })
}

/** Of all profiles the most patient one: a worktree does not say whose it is. */
function keepMs({ loaded: { config } }: Home): number {
  const own = Object.values(config.profiles).map(profile => profile.cleanup_days)
  return Math.max(...(own.length > 0 ? own : [14])) * DAY_MS
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

async function removeOne(
  context: CommandContext,
  found: readonly WorktreeEntry[],
  word: string,
  options: Record<string, unknown>,
): Promise<number> {
  const entry = found.find(({ run, path }) => run === word || path === word)
  if (!entry)
    throw new SignalboxError('E_UNKNOWN', `no worktree belongs to "${word}"`, { next: 'signalbox runs --worktrees' })
  if (entry.dirty > 0 && entry.fate === 'dirty') await requireForce(context, entry, options)
  const saved = await removeWorktree(entry)
  const isLeft = entry.branch !== null && entry.fate !== 'needless'
  if (options.json) context.json({ ...entry, isRemoved: !existsSync(entry.path), saved })
  else {
    context.out(`${entry.path} is taken away${isLeft ? `; ${entry.branch} is kept` : ''}`)
    if (saved !== null)
      context.note(
        `what was not committed is kept for ${TRASH_MS / DAY_MS} days: git -C ${entry.repository} switch -c <branch> ${saved}`,
      )
  }
  return EXIT.ok
}

/** Changes that nobody has committed go only with the word of somebody who knows which they are. */
async function requireForce(
  context: CommandContext,
  { path, dirty }: WorktreeEntry,
  options: Record<string, unknown>,
): Promise<void> {
  const refusal = (next: string) =>
    new SignalboxError('E_INPUT', `${plural(dirty, 'file')} in ${path} ${dirty === 1 ? 'is' : 'are'} not committed`, {
      next,
    })
  if (options.force !== true) throw refusal('commit them, or --force saves them and takes the worktree away')
  if (options.yes === true) return
  if (!context.isInteractive) throw refusal('--force --yes, where nobody can type the path')
  if ((await askLine(`Type the path to take it away (${path}): `)).trim() !== path)
    throw refusal('nothing was changed: that was not the path')
}

function describe(context: CommandContext, entry: WorktreeEntry, isGone: boolean): string {
  const { run, runStatus, idleMs, fate, dirty, ahead, path } = entry
  const bytes = entry.bytes ?? 0
  const size = bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`
  const says: Record<WorktreeFate, string> = {
    busy: dirty > 0 ? `in use, ${dirty} uncommitted` : 'in use',
    dirty: `${dirty} uncommitted`,
    needless: ahead === 0 && !entry.isMerged ? 'nothing in it' : 'merged',
    kept: 'not merged',
    forgotten: 'not merged, long unused',
    gone: 'its directory is gone',
  }
  const state = isGone ? 'taken away' : says[fate]
  const colour = fate === 'needless' || fate === 'busy' ? 'dim' : 'yellow'
  return `${run}  ${(runStatus ?? 'unknown').padEnd(9)} ${formatAge(idleMs).padStart(4)} ${size.padStart(9)}  ${context.style(colour, state)}  ${context.style('dim', path)}`
}
