import { listRuns, queuePosition } from '../../engine/index.js'
import { EXIT } from '../../errors/index.js'
import { formatAge, truncate } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { runWorktrees } from '../graphs/run-worktrees.js'
import { withStore } from '../runs/open-runs.js'
import type { CommandInput } from '../specs/command-spec.js'

const STATUS_STYLE = {
  queued: 'dim',
  running: 'cyan',
  waiting: 'yellow',
  paused: 'yellow',
  completed: 'green',
  failed: 'red',
  rejected: 'red',
  cancelled: 'dim',
} as const

export async function run(context: CommandContext, { options }: CommandInput): Promise<number> {
  return withStore(context, async (store, home) => {
    if (options.worktrees) return runWorktrees(context, store, home, options)
    const all = (await listRuns(store)).filter(record => options.all || !record.isArchived)
    const runs = options.status ? all.filter(record => record.status === options.status) : all
    const shown = runs.slice(0, Number(options.limit ?? 50))
    if (options.json) {
      context.json(shown)
      return EXIT.ok
    }
    if (shown.length === 0) {
      context.out('no runs yet')
      context.note('signalbox oneshot "what is to be done" starts one')
      return EXIT.ok
    }
    const now = Date.now()
    for (const record of shown) {
      const status = context.style(STATUS_STYLE[record.status], record.status.padEnd(9))
      const age = formatAge(now - record.updatedAt).padStart(4)
      const isPlain = record.status === 'completed' && ['done', 'approved'].includes(record.reason ?? 'done')
      const queued = queuePosition(record, all)
      const why = queued
        ? ` (${queued.place === 1 ? 'next' : `number ${queued.place}`}; waits for ${queued.waitsFor})`
        : record.reason && !isPlain
          ? ` (${record.reason})`
          : ''
      const line = `${record.labels.pipeline ?? record.kind} · ${record.title}${why}`
      context.out(`${record.id}  ${status} ${age}  ${truncate(line, Math.max(20, context.columns - 40))}`)
    }
    return EXIT.ok
  })
}
