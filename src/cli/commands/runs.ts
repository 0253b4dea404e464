import { systemClock } from '../../clock/index.js'
import { listRuns, queuePosition, type RunRecord } from '../../engine/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { type DescribedRun, describeRun } from '../../runs/index.js'
import type { Run } from '../../server/index.js'
import type { EventStore } from '../../store/index.js'
import {
  displayWidth,
  formatAge,
  isOpenRun,
  type RunFacts,
  runWord,
  stripAnsi,
  truncate,
  visibleText,
} from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { parseCount } from '../parse-options.js'
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

export async function run(context: CommandContext, { args, options }: InputOf<'runs'>): Promise<number> {
  if (args.action !== undefined) return move(context, args, options)
  const limit = parseCount('--limit', options.limit) ?? 50
  return withStore(context, async (store, home) => {
    if (options.worktrees) return runWorktrees(context, store, home, options)
    const all = (await listRuns(store)).filter(record => options.all || !record.isArchived)
    const described = await describedRuns(store, all, { status: options.status, limit })
    if (options.json) {
      context.json(described)
      return EXIT.ok
    }
    for (const run of described) {
      context.out(runLine(context, run, queuePosition(run, all)))
      if (run.isUndriven) context.out(context.style('dim', `    resume it: ${run.next}`))
    }
    if (described.length === 0) {
      context.out(
        options.status
          ? options.status === 'needs-you'
            ? 'no run needs you'
            : `no run is ${options.status}`
          : 'no runs yet',
      )
      if (!options.status) context.note('start one: signalbox oneshot "what to do"')
    }
    return EXIT.ok
  })
}

/** `status`: the word that lists show, as an option. Only an open run can be interrupted. */
async function describedRuns(
  store: EventStore,
  records: readonly RunRecord[],
  { status, limit }: { status: string | undefined; limit: number },
): Promise<DescribedRun[]> {
  const wordOf = (run: RunFacts) => runWord(run).replaceAll(' ', '-')
  const candidates = status ? records.filter(run => isOpenRun(run) || wordOf(run) === status) : records
  const found: DescribedRun[] = []
  for (const record of candidates) {
    if (found.length === limit) break
    const run = await describeRun({ store, clock: systemClock }, record)
    if (!status || wordOf(run) === status) found.push(run)
  }
  return found
}

async function move(
  context: CommandContext,
  { action, run: word }: InputOf<'runs'>['args'],
  { to, lossy, json }: InputOf<'runs'>['options'],
): Promise<number> {
  if (action !== 'move' || word === undefined)
    throw new SignalboxError('E_INPUT', 'runs takes no arguments except move and a run', {
      next: 'signalbox runs move <run> [--to <worker>] [--lossy]',
    })
  const client = await DaemonClient.connect(context)
  const moving = await client.post<Run>(`/runs/${encodeURIComponent(word)}/move`, {
    ...(to !== undefined && { to }),
    ...(lossy && { lossy }),
  })
  if (json) context.json(moving)
  else context.out(`${moving.id} leaves ${moving.workerName}`)
  return EXIT.ok
}

function runLine(context: CommandContext, run: DescribedRun, queued: ReturnType<typeof queuePosition>): string {
  const status = context.style(run.isUndriven ? 'red' : STATUS_STYLE[run.status], runWord(run).padEnd(11))
  const age = formatAge(systemClock.now() - run.updatedAt).padStart(10)
  const text = visibleText(
    `${run.labels.pipeline ?? run.kind} · ${run.title}${run.workerName === null ? '' : ` · on ${run.workerName}`}${whyText(run, queued)}`,
  )
  const head = `${run.id}  ${status} ${age}  `
  if (!context.isOutputTty) return head + text
  return head + truncate(text, Math.max(20, context.columns - displayWidth(stripAnsi(head))))
}

function whyText({ isUndriven, why }: DescribedRun, queued: ReturnType<typeof queuePosition>): string {
  if (queued && !isUndriven)
    return ` (${queued.position === 1 ? 'next' : `number ${queued.position}`}; waits for ${queued.waitsFor})`
  return why === null ? '' : ` (${why})`
}
