import { readFileSync } from 'node:fs'
import { systemClock } from '../../clock/index.js'
import { createRun, getRun, type RunRecord, readRun, resumeRun } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import { runDirectory } from '../../host/index.js'
import { OneshotFiles, oneshotWorkflow, resumeTarget } from '../../oneshot/index.js'
import type { EventStore } from '../../store/index.js'
import { formatDuration } from '../../text/index.js'
import type { CommandInput } from '../command-spec.js'
import type { CommandContext } from '../context.js'
import type { Home } from '../home.js'
import { driveHere } from '../runs/drive-here.js'
import { durationMs, readOneshot, wholeNumber } from '../runs/oneshot-options.js'
import { OneshotProgress } from '../runs/oneshot-progress.js'
import { findRunFor, withStore } from '../runs/open-runs.js'
import { runExit } from '../runs/run-exit.js'

export async function run(context: CommandContext, input: CommandInput): Promise<number> {
  return withStore(context, async (store, home) => {
    const { options } = input
    if (options.resume !== undefined) return resume(context, store, home, input)
    const task = readTask(context, input)
    const id = await create(context, store, home, task, options)
    return drive(context, store, home, await getRun(store, id), options)
  })
}

async function create(
  context: CommandContext,
  store: EventStore,
  home: Home,
  task: string,
  options: Record<string, unknown>,
): Promise<string> {
  const settings = home.loaded.config.oneshot
  const wish = await readOneshot(context, task, options, settings)
  const git = new Git(context.cwd)
  const project = (await git.root()) ?? context.cwd
  const cost = options.maxCost === undefined ? settings.max_cost : Number(options.maxCost)
  const tokens =
    options.maxTokens === undefined ? settings.max_tokens : wholeNumber('--max-tokens', options.maxTokens, 0, 1)
  const timeMs = durationMs('--max-time', options.maxTime, settings.max_time ?? 0)
  return createRun(
    store,
    {
      kind: 'oneshot',
      title: task.split('\n')[0]!.slice(0, 200),
      project,
      cwd: context.cwd,
      person: 'local',
      input: { ...wish, base: await git.head(), branch: await git.branch() },
      limits: {
        ...(cost !== null && { costUsd: cost }),
        ...(tokens !== null && { tokens }),
        ...(timeMs > 0 && { timeMs }),
      },
    },
    systemClock.now(),
  )
}

async function resume(
  context: CommandContext,
  store: EventStore,
  home: Home,
  { args, options }: CommandInput,
): Promise<number> {
  const word = options.resume === true ? 'latest' : String(options.resume)
  if (args.task !== undefined)
    throw new SignalboxError('E_INPUT', 'a resumed run has its task already', { next: 'leave the task out' })
  const record = await findRunFor(context, store, word)
  await prepareResume(store, record, options)
  return drive(context, store, home, await getRun(store, record.id), options)
}

/** Lets a oneshot go on by its rules, or says why it must not. */
export async function prepareResume(
  store: EventStore,
  record: RunRecord,
  options: Record<string, unknown>,
): Promise<void> {
  if (record.kind !== 'oneshot')
    throw new SignalboxError('E_INPUT', `run ${record.id} is no oneshot`, { next: `signalbox resume ${record.id}` })
  const { run } = await readRun(store, record.id, oneshotWorkflow)
  const { work } = run
  if (work.state === 'REJECTED')
    throw new SignalboxError('E_REJECTED', `the auditor judged this task impossible: ${work.reason ?? ''}`, {
      next: 'start a new run with a changed task',
    })
  if (work.state === 'COMPLETED')
    throw new SignalboxError('E_INPUT', `run ${record.id} is completed: there is nothing to resume`)
  if (record.status === 'cancelled')
    throw new SignalboxError('E_INPUT', `run ${record.id} was cancelled: it cannot be resumed`)
  const max = wholeNumber('--max-iterations', options.maxIterations, work.input.maxIterations, 1)
  if (max !== work.input.maxIterations) work.input = { ...work.input, maxIterations: max }
  if ((work.state === 'FAILED' || work.state === 'INTERRUPTED') && resumeTarget(work) === null)
    throw new SignalboxError('E_INPUT', `all ${work.input.maxIterations} iterations are used up`, {
      next: `give more: signalbox oneshot --resume ${record.id} --max-iterations ${work.iteration + 1}`,
    })
  await resumeRun(store, record.id, { by: 'local', changes: { maxIterations: max } })
}

async function drive(
  context: CommandContext,
  store: EventStore,
  home: Home,
  record: RunRecord,
  options: Record<string, unknown>,
): Promise<number> {
  const { id } = record
  const progress = options.json ? null : new OneshotProgress(context)
  const files = new OneshotFiles(runDirectory(home.settings.dataDirectory, id), id)
  if (progress) announce(context, record)
  for (const event of await store.readStream(`run/${id}`)) files.take(event)
  const final = await driveHere(context, store, home, id, {
    event: event => {
      files.take(event)
      progress?.event(event)
      if (options.json) context.json(event)
    },
    activity: activity => {
      files.activity(activity)
      progress?.activity(activity)
      if (options.json) context.json({ type: 'activity', data: activity })
    },
  })
  await conclude(context, store, final, options)
  return runExit(final)
}

function announce(context: CommandContext, { id, title }: RunRecord): void {
  context.out(`${context.style('bold', id)}  ${title}`)
}

async function conclude(
  context: CommandContext,
  store: EventStore,
  record: RunRecord,
  options: Record<string, unknown>,
): Promise<void> {
  const { run } = await readRun(store, record.id, oneshotWorkflow)
  const { work } = run
  if (options.json) {
    context.json({
      type: 'outcome',
      run: record.id,
      state: work.state,
      status: record.status,
      reason: record.reason,
      iterations: work.iteration,
      usage: record.usage,
    })
    return
  }
  const took = formatDuration((record.endedAt ?? record.updatedAt) - record.createdAt)
  const tokens = record.usage.input + record.usage.output
  const colour = work.state === 'COMPLETED' ? 'green' : work.state === 'INTERRUPTED' ? 'yellow' : 'red'
  const why = record.reason && work.state !== 'COMPLETED' ? ` (${record.reason})` : ''
  context.out('')
  context.out(
    `${context.style(colour, context.style('bold', work.state))}${why} · ${work.iteration} ${work.iteration === 1 ? 'iteration' : 'iterations'} · ${took} · ${tokens} tokens`,
  )
  const git = new Git(record.cwd)
  if (work.input.base && (await git.root())) {
    const stat = (await git.diff(work.input.base, { stat: true })).trimEnd()
    if (stat) context.out(stat)
    for (const path of (await git.untracked()).slice(0, 20)) context.out(` ${path} (new)`)
  }
  if (work.state === 'INTERRUPTED' || work.state === 'FAILED') context.note(resumeHint(record.id))
}

function resumeHint(id: string): string {
  return `go on with: signalbox oneshot --resume ${id}`
}

function readTask(context: CommandContext, { args, options }: CommandInput): string {
  const given = args.task as string | undefined
  const file = options.taskFile as string | undefined
  if (given !== undefined && file !== undefined)
    throw new SignalboxError('E_INPUT', 'give the task as text or as a file, not both')
  const task = file !== undefined ? readText(file) : given === '-' ? readFileSync(0, 'utf8') : given
  if (task === undefined || task.trim() === '')
    throw new SignalboxError('E_INPUT', 'there is no task', { next: 'signalbox oneshot "what is to be done"' })
  if (context.cwd === '/') throw new SignalboxError('E_INPUT', 'a oneshot needs a project directory, not /')
  return task.trim()
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new SignalboxError('E_INPUT', `the task file cannot be read: ${(error as Error).message}`)
  }
}
