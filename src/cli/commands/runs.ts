import { systemClock } from '../../clock/index.js'
import { listRuns, queuePosition, type RunRecord } from '../../engine/index.js'
import { EXIT } from '../../errors/index.js'
import { formatAge, truncate } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { runWorktrees } from '../runs/run-worktrees.js'
import { withStore } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

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

export async function run(context: CommandContext, { options }: InputOf<'runs'>): Promise<number> {
  return withStore(context, async (store, home) => {
    if (options.worktrees) return runWorktrees(context, store, home, options)
    const all = (await listRuns(store)).filter(record => options.all || !record.isArchived)
    const runs = options.status ? all.filter(record => record.status === options.status) : all
    const shown = runs.slice(0, Number(options.limit ?? 50))
    if (options.json) {
      context.json(shown)
      return EXIT.ok
    }
    for (const record of shown) context.out(runLine(context, record, all))
    if (shown.length === 0) {
      context.out('no runs yet')
      context.note('start one: signalbox oneshot "what to do"')
    }
    return EXIT.ok
  })
}

function runLine(context: CommandContext, record: RunRecord, all: readonly RunRecord[]): string {
  const status = context.style(STATUS_STYLE[record.status], record.status.padEnd(9))
  const age = formatAge(systemClock.now() - record.updatedAt).padStart(4)
  const text = `${record.labels.pipeline ?? record.kind} · ${record.title}${whyOf(record, all)}`
  return `${record.id}  ${status} ${age}  ${truncate(text, Math.max(20, context.columns - 40))}`
}

function whyOf(record: RunRecord, all: readonly RunRecord[]): string {
  const queued = queuePosition(record, all)
  if (queued) return ` (${queued.place === 1 ? 'next' : `number ${queued.place}`}; waits for ${queued.waitsFor})`
  const isPlain = record.status === 'completed' && ['done', 'approved'].includes(record.reason ?? 'done')
  return record.reason && !isPlain ? ` (${record.reason})` : ''
}
