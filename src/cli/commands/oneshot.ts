import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { type OneshotOptions, resumeRun, startOneshot } from '../../runs/index.js'
import type { CommandContext } from '../context.js'
import { parseCount, parseLimits, parsePlacement, parseSandbox, parseTime } from '../parse-options.js'
import { driveStarted, followStarted, printQueued } from '../runs/drive-in-terminal.js'
import { showRun } from '../runs/show-run.js'
import { findRunFor, withRuns } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

type Input = InputOf<'oneshot'>
type Options = Input['options']

export async function run(context: CommandContext, input: Input): Promise<number> {
  const { args, options } = input
  for (const flag of ['resume', 'view', 'follow'] as const)
    if (options[flag] !== undefined && (args.task !== undefined || options.taskFile !== undefined))
      throw new SignalboxError('E_INPUT', `--${flag} takes no task: the run has one`, { next: 'leave the task out' })
  const mayAsk = options.input !== false && !options.json
  return withRuns(context, { mayAsk }, async start => {
    const { store } = start
    if (options.view !== undefined) {
      const record = await findRunFor(context, store, options.view)
      await showRun(context, store, record, { isJson: options.json === true, pipeline: null })
      return EXIT.ok
    }
    if (options.follow !== undefined)
      return followStarted(context, start, (await findRunFor(context, store, options.follow)).id, options)
    if (options.resume !== undefined) {
      refuseFixedOptions(options)
      const record = await findRunFor(context, store, options.resume === true ? 'latest' : options.resume)
      if (record.kind !== 'oneshot')
        throw new SignalboxError('E_INPUT', `run ${record.id} is not a oneshot`, {
          next: `signalbox resume ${record.id}`,
        })
      const maxIterations = parseCount('--max-iterations', options.maxIterations)
      const resumed = await resumeRun(start, record, { maxIterations, limits: parseLimits(options) })
      return driveStarted(context, start, resumed, options)
    }
    const started = await startOneshot(start, oneshotOptions(context, input))
    if (options.detach) return printQueued(context, started.id, { json: options.json, isDetached: true })
    return driveStarted(context, start, started, options)
  })
}

function oneshotOptions(context: CommandContext, { args, options }: Input): OneshotOptions {
  const path = (given: string | undefined) => (given === undefined ? undefined : resolve(context.cwd, given))
  return {
    task: readTask(args.task, options.taskFile),
    agent: options.agent,
    model: options.model,
    endpoint: options.endpoint,
    apiKeyEnv: options.apiKeyEnv,
    worker: {
      agent: options.worker,
      model: options.workerModel,
      permissions: options.permissions,
      header: options.workerHeader,
      endpoint: options.workerEndpoint,
      apiKeyEnv: options.workerApiKeyEnv,
    },
    auditor: {
      agent: options.auditor,
      model: options.auditorModel,
      permissions: options.auditorPermissions,
      header: options.auditorHeader,
      endpoint: options.auditorEndpoint,
      apiKeyEnv: options.auditorApiKeyEnv,
    },
    reworkerHeader: options.reworkerHeader,
    maxIterations: parseCount('--max-iterations', options.maxIterations),
    inactivityMs: parseTime('--inactivity-threshold', options.inactivityThreshold),
    toolInactivityMs: parseTime('--tool-inactivity-threshold', options.toolInactivityThreshold),
    timeoutMs: parseTime('--timeout', options.timeout),
    checks: options.check,
    isLive: options.live,
    isInWorktree: options.worktree,
    branch: options.branch,
    logsDir: path(options.logsDir),
    sessionLog: path(options.sessionLog),
    mayAsk: options.input !== false,
    limits: parseLimits(options),
    isDetached: options.detach,
    placement: parsePlacement(options),
    sandbox: parseSandbox(options),
    trust: options.trust,
  }
}

function readTask(given: string | undefined, file: string | undefined): string {
  if (given !== undefined && file !== undefined)
    throw new SignalboxError('E_INPUT', 'give the task as text or as a file, not both')
  if (file === undefined) return given === '-' ? readFileSync(0, 'utf8') : (given ?? '')
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new SignalboxError('E_INPUT', `cannot read the task file: ${(error as Error).message}`)
  }
}

/** Options that are fixed when a run is created. They are refused instead of being ignored. */
const FIXED_OPTIONS = [
  ...(['agent', 'worker', 'auditor', 'model', 'workerModel', 'auditorModel', 'permissions'] as const),
  ...(['auditorPermissions', 'inactivityThreshold', 'toolInactivityThreshold', 'timeout', 'check'] as const),
  ...(['worktree', 'branch', 'live', 'detach', 'workerHeader', 'reworkerHeader', 'auditorHeader'] as const),
  ...(['endpoint', 'workerEndpoint', 'auditorEndpoint', 'apiKeyEnv', 'workerApiKeyEnv'] as const),
  ...(['auditorApiKeyEnv', 'logsDir', 'sessionLog'] as const),
] satisfies readonly (keyof Options)[]

function refuseFixedOptions(options: Options): void {
  const given = FIXED_OPTIONS.filter(name => options[name] !== undefined && options[name] !== false)
  if (given.length === 0) return
  const flags = given.map(name => `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`).join(', ')
  throw new SignalboxError('E_INPUT', `a resumed run keeps the options it was started with: ${flags}`, {
    next: 'leave them out, or start a new run; --max-iterations, --max-cost, --max-tokens and --max-time may change',
  })
}
