import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { loadAgent } from '../../agents/index.js'
import { newId, systemClock } from '../../clock/index.js'
import { createRun, getRun, isEnded, type RunRecord, readRun, resumeRun, runStream } from '../../engine/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { newEvent } from '../../events/index.js'
import { Git } from '../../git/index.js'
import type { Home } from '../../host/home/index.js'
import { oneshotWorkflow, resumeTarget } from '../../oneshot/index.js'
import type { EventStore } from '../../store/index.js'
import { formatDuration } from '../../text/index.js'
import { agentPlace } from '../agent-place.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { enterProject } from '../project-settings.js'
import { askLine, driveHere } from '../runs/drive-here.js'
import { followRun } from '../runs/follow-run.js'
import { durationMs, readOneshot, wholeNumber } from '../runs/oneshot-options.js'
import { OneshotProgress } from '../runs/oneshot-progress.js'
import { findRunFor, withStore } from '../runs/open-runs.js'
import { runExit } from '../runs/run-exit.js'
import { showRun } from '../runs/show-run.js'
import type { CommandInput } from '../specs/command-spec.js'

/** A task stands in the journal of its run, and in every prompt. */
const TASK_MAX_BYTES = 200_000

export async function run(context: CommandContext, input: CommandInput): Promise<number> {
  return withStore(context, async (store, own) => {
    const { options, args } = input
    for (const flag of ['resume', 'view', 'follow'] as const)
      if (options[flag] !== undefined && (args.task !== undefined || options.taskFile !== undefined))
        throw new SignalboxError('E_INPUT', `with --${flag} the run has its task already`, {
          next: 'leave the task out',
        })
    if (options.view !== undefined) {
      const record = await findRunFor(context, store, String(options.view))
      await showRun(context, store, record, { isJson: options.json === true })
      return EXIT.ok
    }
    if (options.follow !== undefined) {
      const record = await findRunFor(context, store, String(options.follow))
      return follow(context, store, own, record, options)
    }
    if (options.resume !== undefined) {
      refuseSettled(options)
      return resume(context, store, own, options)
    }
    const task = readTask(context, input)
    const home = await enterProject(context, store, own, {
      trust: options.trust as string | undefined,
      mayAsk: context.isInteractive && options.input !== false && !options.json,
      isApart: options.worktree === true || options.branch !== undefined,
    })
    // Terminals are kept by the daemon, so a worker in one is driven there.
    const isLive = options.live === true || home.loaded.config.oneshot.live
    if (options.detach || isLive) await DaemonClient.connect(context)
    const id = await createOneshot(context, store, home, task, { ...options, live: isLive })
    const record = await getRun(store, id)
    if (isLive && !options.detach) return follow(context, store, home, record, options)
    if (!options.detach) return drive(context, store, home, record, options)
    if (options.json) context.json({ run: id, status: record.status })
    else {
      context.out(id)
      context.note(`the daemon drives it; signalbox logs -f ${id} follows, signalbox cancel ${id} ends it`)
    }
    return EXIT.ok
  })
}

/** What a run has settled when it was made: a flag that would change nothing is not passed over in silence. */
const SETTLED = [
  ...['agent', 'worker', 'auditor', 'model', 'workerModel', 'auditorModel', 'permissions', 'auditorPermissions'],
  ...['inactivityThreshold', 'toolInactivityThreshold', 'timeout', 'check', 'worktree', 'branch', 'live', 'detach'],
  ...['workerHeader', 'reworkerHeader', 'auditorHeader', 'endpoint', 'workerEndpoint', 'auditorEndpoint'],
  ...['apiKeyEnv', 'workerApiKeyEnv', 'auditorApiKeyEnv', 'logsDir', 'sessionLog'],
]

function refuseSettled(options: Record<string, unknown>): void {
  const given = SETTLED.filter(name => {
    const value = options[name]
    return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)
  })
  if (given.length === 0) return
  const flags = given.map(name => `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`).join(', ')
  throw new SignalboxError('E_INPUT', `a run that is resumed keeps what it began with: ${flags}`, {
    next: 'leave that out (--max-iterations, --max-cost, --max-tokens and --max-time may change), or start a new run',
  })
}

/** Makes the run, and does not drive it. */
export async function createOneshot(
  context: CommandContext,
  store: EventStore,
  home: Home,
  task: string,
  options: Record<string, unknown>,
): Promise<string> {
  const settings = home.loaded.config.oneshot
  const wish = await readOneshot(context, task, options, settings)
  const git = new Git(context.cwd)
  const [root, base] = [await git.root(), await git.head()]
  const id = newId('run')
  const isApart = options.worktree === true || options.branch !== undefined || settings.worktree
  const place = isApart ? await makeWorktree(git, root, base, home, id, options.branch as string | undefined) : null
  const fileOf = (flag: string) =>
    options[flag] === undefined ? undefined : resolve(context.cwd, String(options[flag]))
  const [logsDir, sessionLog] = [fileOf('logsDir'), fileOf('sessionLog')]
  return createRun(
    store,
    {
      kind: 'oneshot',
      title: task.split('\n')[0]!.slice(0, 200),
      project: root ?? context.cwd,
      cwd: place?.path ?? context.cwd,
      person: 'local',
      input: {
        ...wish,
        base,
        branch: place?.branch ?? (await git.branch()),
        ...(logsDir !== undefined && { logsDir }),
        ...(sessionLog !== undefined && { sessionLog }),
      },
      limits: readLimits(options, settings),
      ...((options.detach === true || options.live === true) && { labels: { host: 'daemon' } }),
    },
    systemClock.now(),
    id,
  )
}

/** The work goes on in a worktree and on a branch of its own; what is uncommitted stays where it is. */
async function makeWorktree(
  git: Git,
  root: string | null,
  base: string | null,
  home: Home,
  id: string,
  wanted: string | undefined,
): Promise<{ path: string; branch: string }> {
  if (root === null || base === null)
    throw new SignalboxError('E_INPUT', 'a worktree needs a git repository with a commit', {
      next: 'leave --worktree out, or commit something first',
    })
  const path = join(home.settings.dataDirectory, 'worktrees', basename(root), id)
  const branch = wanted ?? `signalbox/oneshot/${id}`
  await git.run(['worktree', 'add', '--quiet', '-b', branch, path, base])
  return { path, branch }
}

function readLimits(options: Record<string, unknown>, settings: Home['loaded']['config']['oneshot']) {
  const cost = options.maxCost === undefined ? settings.max_cost : positive('--max-cost', options.maxCost)
  const tokens =
    options.maxTokens === undefined ? settings.max_tokens : wholeNumber('--max-tokens', options.maxTokens, 0, 1)
  const timeMs = durationMs('--max-time', options.maxTime, settings.max_time ?? 0)
  return {
    ...(cost !== null && { costUsd: cost }),
    ...(tokens !== null && { tokens }),
    ...(timeMs > 0 && { timeMs }),
  }
}

function positive(flag: string, given: unknown): number {
  const value = Number(given)
  if (Number.isFinite(value) && value > 0) return value
  throw new SignalboxError('E_INPUT', `${flag} takes a number above 0, not "${given}"`)
}

async function follow(
  context: CommandContext,
  store: EventStore,
  home: Home,
  record: RunRecord,
  options: Record<string, unknown>,
): Promise<number> {
  if (!options.json) announce(context, record)
  const isJson = options.json === true
  const final = await followRun(context, store, home, record, { step: null, isFollowing: true, isJson })
  if (!isEnded(final.status) && final.status !== 'paused') return EXIT.ok
  return conclude(context, store, final, options)
}

async function resume(
  context: CommandContext,
  store: EventStore,
  home: Home,
  options: Record<string, unknown>,
): Promise<number> {
  const word = options.resume === true ? 'latest' : String(options.resume)
  const record = await findRunFor(context, store, word)
  await checkPlace(context, store, record)
  const isKept = record.labels.host === 'daemon' && (await isLiveRun(store, record))
  if (isKept) await DaemonClient.connect(context)
  await prepareResume(store, record, options)
  if (isKept) return follow(context, store, home, await getRun(store, record.id), options)
  return drive(context, store, home, await getRun(store, record.id), options)
}

async function isLiveRun(store: EventStore, record: RunRecord): Promise<boolean> {
  return record.kind === 'oneshot' && (await readRun(store, record.id, oneshotWorkflow)).run.work.input.isLive
}

/** A run goes on where it began, or not at all without a person's word. */
async function checkPlace(context: CommandContext, store: EventStore, record: RunRecord): Promise<void> {
  if (record.kind !== 'oneshot') return
  if (!existsSync(record.cwd))
    throw new SignalboxError('E_CONFIG', `the directory of run ${record.id} is gone: ${record.cwd}`, {
      next: 'bring it back, or start a new run',
    })
  const { base } = (await readRun(store, record.id, oneshotWorkflow)).run.work.input
  const git = new Git(record.cwd)
  const head = await git.head()
  if (base === null || head === null || head === base || (await git.isAncestor(base, head))) return
  const moved = `${record.cwd} is at ${head.slice(0, 12)}, which does not come from ${base.slice(0, 12)}, where run ${record.id} began`
  if (context.isInteractive && /^y/i.test(await askLine(`${moved}. Go on anyway? [y/N] `))) return
  throw new SignalboxError('E_CONFIG', moved, { next: `git switch to a commit that comes from ${base.slice(0, 12)}` })
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
  const limits = {
    ...(options.maxCost !== undefined && { costUsd: positive('--max-cost', options.maxCost) }),
    ...(options.maxTokens !== undefined && { tokens: wholeNumber('--max-tokens', options.maxTokens, 0, 1) }),
    ...(options.maxTime !== undefined && { timeMs: durationMs('--max-time', options.maxTime, 0) }),
  }
  if (Object.keys(limits).length > 0)
    await store.append(runStream(record.id), 'any', [newEvent('budget.raised', { limits, by: 'local' })])
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
  if (progress) announce(context, record)
  const final = await driveHere(context, store, home, id, {
    event: event => {
      progress?.event(event)
      if (options.json) context.json(event)
    },
    activity: activity => {
      progress?.activity(activity)
      if (options.json) context.json({ type: 'activity', data: activity })
    },
  })
  return conclude(context, store, final, options)
}

function announce(context: CommandContext, { id, title }: RunRecord): void {
  context.out(`${context.style('bold', id)}  ${title}`)
}

async function conclude(
  context: CommandContext,
  store: EventStore,
  record: RunRecord,
  options: Record<string, unknown>,
): Promise<number> {
  const { run } = await readRun(store, record.id, oneshotWorkflow)
  const { work } = run
  const isSignedOut =
    work.state === 'FAILED' && work.history.slice(-2).some(({ reason }) => reason?.endsWith('error_auth'))
  const exit = isSignedOut ? EXIT.agentMissing : runExit(record)
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
    return exit
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
  if (isSignedOut) {
    const { before, input } = work
    const { name, title, signIn } = await loadAgent(
      (before === 'AUDITOR_EXECUTING' ? input.auditor : input.worker).agent,
    )
    const next = signIn?.(agentPlace(context, name)).next
    context.note(`${title} is not signed in${next ? `; ${next}` : ''}`)
  }
  if (record.reason === 'budget')
    for (const approval of Object.values(record.gates)) context.note(`give it more: signalbox answer ${approval} raise`)
  if (record.status === 'paused' || work.state === 'FAILED') context.note(resumeHint(record.id))
  return exit
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
  const bytes = Buffer.byteLength(task)
  if (bytes > TASK_MAX_BYTES)
    throw new SignalboxError('E_INPUT', `the task has ${bytes} bytes; at most ${TASK_MAX_BYTES} go`, {
      next: 'put it into a file of the project, and let the task name that file',
    })
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
