import { type HeadlessAgent, PERMISSION_LEVELS, type PermissionLevel } from '../agents/index.js'
import { newId } from '../clock/index.js'
import { createRun, type Limits } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { Git } from '../git/index.js'
import type { Home } from '../host/home/index.js'
import type { OneshotInput, OneshotRole } from '../oneshot/index.js'
import { splitWords } from '../text/index.js'
import { createWorkspace, workspaceBranch } from '../worktrees/index.js'
import { type AgentSearch, ENDPOINT_HINT, headlessAgent, nearestLevel } from './choose-agent.js'
import { enterProject } from './project-trust.js'
import {
  driverLabel,
  onWorker,
  type RunOptions,
  type StartContext,
  type StartedRun,
  sandboxOf,
} from './start-context.js'
import { shareWorkspace } from './workspaces/workspace-source.js'

/** A task is stored in the journal of its run, and is part of every prompt. */
const TASK_MAX_BYTES = 200_000
const KILL_GRACE_MS = 5_000

interface OneshotRoleOptions {
  agent?: string | undefined
  model?: string | undefined
  /** What the agent may do without asking. */
  permissions?: string | undefined
  /** Text before the task. */
  header?: string | undefined
  /** For the agent `direct`: the address of the server, and the variable that holds its key. */
  endpoint?: string | undefined
  apiKeyEnv?: string | undefined
}

export interface OneshotOptions extends RunOptions {
  task: string
  /** For both roles, where `worker` or `auditor` has no value of its own. */
  agent?: string | undefined
  model?: string | undefined
  endpoint?: string | undefined
  apiKeyEnv?: string | undefined
  worker?: OneshotRoleOptions | undefined
  auditor?: OneshotRoleOptions | undefined
  /** Text before the task in further iterations. */
  reworkerHeader?: string | undefined
  maxIterations?: number | undefined
  /** Silence that ends a step, and the same while a tool runs; 0 is off. */
  inactivityMs?: number | undefined
  toolInactivityMs?: number | undefined
  /** Longest time of one step; 0 is off. */
  timeoutMs?: number | undefined
  /** Commands that run after each worker; their output goes to the auditor. */
  checks?: readonly string[] | undefined
  /** The worker runs in a terminal of the daemon. */
  isLive?: boolean | undefined
  /** Works in a worktree of its own. */
  isInWorktree?: boolean | undefined
  /** The branch of the worktree. */
  branch?: string | undefined
  /** Absolute paths for copies of the log files. */
  logsDir?: string | undefined
  sessionLog?: string | undefined
  /** A person can answer requests of the agents. */
  mayAsk: boolean
}

type OneshotSettings = Home['loaded']['config']['oneshot']

/**
 * Creates a oneshot: a worker does the task, an auditor judges it, until it is done.
 * @throws SignalboxError `E_INPUT`, `E_CONFIG`, `E_AGENT_MISSING`, `E_UNTRUSTED`
 */
export async function startOneshot(context: StartContext, options: OneshotOptions): Promise<StartedRun> {
  const { store, env, cwd, person } = context
  const task = checkTask(options.task, cwd)
  // A worker has no access to the person's own working tree.
  const isApart = options.isInWorktree === true || options.branch !== undefined || options.placement !== undefined
  const home = await enterProject(context, { trust: options.trust, isApart })
  const settings = home.loaded.config.oneshot
  const isLive = options.isLive === true || settings.live
  // The daemon keeps the terminals, so it drives a run whose worker is in one.
  if (isLive && options.placement)
    throw new SignalboxError('E_INPUT', 'an agent in a terminal cannot run on a worker', { next: 'leave --live out' })
  const driver = options.isDetached || isLive || options.placement ? 'daemon' : 'caller'
  if (driver === 'daemon') await context.requireDaemon()
  const input = await readInput({ home, env, cwd }, { ...options, task, isLive })
  const git = new Git(cwd)
  const [root, base] = [await git.root(), await git.head()]
  const id = options.id ?? newId('run')
  const { dataDirectory } = home.settings
  const worktree =
    isApart || settings.worktree
      ? await createWorkspace(dataDirectory, {
          cwd,
          id,
          branch: options.branch ?? workspaceBranch('oneshot', id),
          worktree: { required: { next: 'leave --worktree out, or commit something first' } },
        })
      : null
  if (worktree && options.placement) await shareWorkspace(context, id, worktree.path)
  const { logsDir, sessionLog } = options
  const labels = { ...options.labels, ...driverLabel(context, driver) }
  await createRun(
    store,
    {
      kind: 'oneshot',
      title: task.split('\n')[0]!.slice(0, 200),
      project: root ?? cwd,
      cwd: worktree?.path ?? cwd,
      person,
      input: {
        ...input,
        base,
        branch: worktree?.branch ?? (await git.branch()),
        ...(logsDir !== undefined && { logsDir }),
        ...(sessionLog !== undefined && { sessionLog }),
      },
      limits: limitsFrom(options.limits, settings),
      ...onWorker(options.placement, worktree?.path ?? cwd),
      ...sandboxOf(home, options.sandbox),
      ...(Object.keys(labels).length > 0 && { labels }),
    },
    store.clock.now(),
    id,
  )
  return { id, home, driver, notices: [] }
}

function checkTask(given: string, cwd: string): string {
  const task = given.trim()
  if (task === '')
    throw new SignalboxError('E_INPUT', 'the task is missing', { next: 'signalbox oneshot "what to do"' })
  const bytes = Buffer.byteLength(task)
  if (bytes > TASK_MAX_BYTES)
    throw new SignalboxError('E_INPUT', `the task is ${bytes} bytes long; the limit is ${TASK_MAX_BYTES}`, {
      next: 'put it into a file of the project, and name that file in the task',
    })
  if (cwd === '/') throw new SignalboxError('E_INPUT', 'a oneshot needs a project directory, not /')
  return task
}

function limitsFrom(given: Limits = {}, settings: OneshotSettings): Limits {
  const costUsd = given.costUsd ?? settings.max_cost
  const tokens = given.tokens ?? settings.max_tokens
  const timeMs = given.timeMs ?? (settings.max_time ?? 0) * 1000
  return {
    ...(costUsd !== null && { costUsd }),
    ...(tokens !== null && { tokens }),
    ...(timeMs > 0 && { timeMs }),
  }
}

async function readInput(search: AgentSearch, options: OneshotOptions): Promise<Omit<OneshotInput, 'base' | 'branch'>> {
  const settings = search.home.loaded.config.oneshot
  const { worker = {}, auditor = {}, mayAsk } = options
  const agent = options.agent ?? settings.agent
  const model = options.model ?? settings.model
  const endpoint = options.endpoint ?? settings.endpoint
  const apiKeyEnv = options.apiKeyEnv ?? settings.api_key_env
  const reworkerHeader = options.reworkerHeader ?? settings.reworker_header
  return {
    task: options.task,
    worker: await readRole(search, 'worker', {
      agent: worker.agent ?? settings.worker ?? agent,
      model: worker.model ?? settings.worker_model ?? model,
      permissions: worker.permissions ?? settings.permissions,
      header: worker.header ?? settings.worker_header,
      endpoint: worker.endpoint ?? settings.worker_endpoint ?? endpoint,
      apiKeyEnv: worker.apiKeyEnv ?? settings.worker_api_key_env ?? apiKeyEnv,
      mayAsk,
    }),
    auditor: await readRole(search, 'auditor', {
      agent: auditor.agent ?? settings.auditor ?? agent,
      model: auditor.model ?? settings.auditor_model ?? model,
      permissions: auditor.permissions ?? settings.auditor_permissions,
      header: auditor.header ?? settings.auditor_header,
      endpoint: auditor.endpoint ?? settings.auditor_endpoint ?? endpoint,
      apiKeyEnv: auditor.apiKeyEnv ?? settings.auditor_api_key_env ?? apiKeyEnv,
      mayAsk,
    }),
    ...(reworkerHeader !== null && { reworkerHeader }),
    maxIterations: options.maxIterations ?? settings.max_iterations,
    auditorAsks: 1,
    inactivityMs: options.inactivityMs ?? settings.inactivity_threshold * 1000,
    toolInactivityMs: options.toolInactivityMs ?? settings.tool_inactivity_threshold * 1000,
    exitGraceMs: settings.exit_grace * 1000,
    killGraceMs: KILL_GRACE_MS,
    timeoutMs: options.timeoutMs ?? (settings.timeout ?? 0) * 1000,
    checks: (options.checks ?? settings.check).map(splitWords),
    isLive: options.isLive === true,
  }
}

interface RoleChoice {
  agent: string | null
  model: string | null
  permissions: string | null
  header: string | null
  endpoint: string | null
  apiKeyEnv: string | null
  mayAsk: boolean
}

async function readRole(search: AgentSearch, name: 'worker' | 'auditor', choice: RoleChoice): Promise<OneshotRole> {
  const { adapter, headless } = await headlessAgent(search, choice.agent, name)
  const { levels, needsEndpoint, takesModel } = headless
  if (choice.model !== null && !takesModel)
    throw new SignalboxError('E_INPUT', `${adapter.title} takes no model`, { next: 'leave --model out' })
  if (needsEndpoint && choice.endpoint === null)
    throw new SignalboxError('E_INPUT', `${adapter.name} needs an address`, {
      next: ENDPOINT_HINT,
    })
  const permissions = (choice.permissions ?? defaultLevel(name, headless, choice.mayAsk)) as PermissionLevel
  if (permissions === 'ask' && !choice.mayAsk)
    throw new SignalboxError('E_NEEDS_HUMAN', 'with --no-input no person can be asked', { next: '--permissions edits' })
  if (!PERMISSION_LEVELS.includes(permissions))
    throw new SignalboxError('E_INPUT', `unknown permission level "${permissions}"`, {
      next: `use one of ${PERMISSION_LEVELS.join(', ')}`,
    })
  if (!levels.includes(permissions))
    throw new SignalboxError('E_CONFIG', `${adapter.title} does not support the permission level "${permissions}"`, {
      next: `the nearest supported one is "${nearestLevel(permissions, levels)}"${permissions === 'ask' ? '; --live asks in a terminal' : ''}`,
    })
  return {
    agent: adapter.name,
    permissions,
    ...(choice.model !== null && { model: choice.model }),
    ...(choice.header !== null && { header: choice.header }),
    ...(needsEndpoint && choice.endpoint !== null && { endpoint: choice.endpoint }),
    ...(needsEndpoint && choice.apiKeyEnv !== null && { apiKeyEnv: choice.apiKeyEnv }),
  }
}

function defaultLevel(
  role: 'worker' | 'auditor',
  { levels, asksByDefault }: HeadlessAgent,
  mayAsk: boolean,
): PermissionLevel {
  if (role === 'auditor') return 'read'
  if (asksByDefault && mayAsk) return 'ask'
  return levels.includes('edits') ? 'edits' : levels.at(-1)!
}
