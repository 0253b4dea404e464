import { systemClock } from '../../clock/index.js'
import { listRuns, queuePosition } from '../../engine/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { type DescribedRun, describeRun } from '../../runs/index.js'
import type { Run } from '../../server/index.js'
import { displayWidth, formatAge, RUN_WORDS, runWord, stripAnsi, truncate, visibleText } from '../../text/index.js'
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
    const runs = options.status ? all.filter(({ status }) => wordOf(status) === options.status) : all
    const shown = runs.slice(0, limit)
    const described = await Promise.all(shown.map(record => describeRun({ store, clock: systemClock }, record)))
    if (options.json) {
      context.json(described)
      return EXIT.ok
    }
    for (const run of described) {
      context.out(runLine(context, run, queuePosition(run, all)))
      if (run.isUndriven) context.out(context.style('dim', `    resume it: ${run.next}`))
    }
    if (shown.length === 0) {
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

/** The word that lists show, as an option. */
function wordOf(status: keyof typeof RUN_WORDS): string {
  return RUN_WORDS[status].toLowerCase().replaceAll(' ', '-')
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
  const status = context.style(run.isUndriven ? 'red' : STATUS_STYLE[run.status], runWord(run).padEnd(9))
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
  return why === null ? '' : ` (${isUndriven ? why.replace(/^stopped: /, '') : why})`
}
