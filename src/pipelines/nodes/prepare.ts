import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { runStream } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { newEvent } from '../../events/index.js'
import { Git } from '../../git/index.js'
import { runStepCommand } from '../../process/index.js'
import type { NewEvent } from '../../store/index.js'
import { ensureWorkspace } from '../../worktrees/index.js'
import type { NodeContext, NodeResult } from '../node.js'
import { PipelineGit } from '../pipeline-git.js'
import { freePlanPath, planFile } from '../plan/plan-path.js'
import { routeAfterPrepare } from '../routing.js'
import { givenPlan } from '../set-plan.js'
import type { StateUpdate } from '../state.js'
import { historyUpdate } from './history-update.js'
import { hashOf } from './text-file.js'

const SET_UP = 'signalbox.set-up'
const SETUP_TIMEOUT_MS = 600_000
const SETUP_OUTPUT_MAX = 64 * 1024

/**
 * Prepares the workspace. Checks before it creates: a run that died finds its earlier workspace.
 */
export async function prepare(context: NodeContext): Promise<NodeResult> {
  const { args, state } = context
  const events: NewEvent[] = []
  if (args.issue)
    events.push(
      newEvent('issue.fetched', {
        tracker: args.tracker,
        id: args.issue.id,
        title: args.issue.title,
        ...(args.issue.url !== undefined && { url: args.issue.url }),
      }),
    )
  const branch = await ensureWorkspaceReady(context, events)
  const git = new PipelineGit(context.cwd)
  const conflicts = await git.conflicts()
  if (conflicts.length > 0)
    throw new SignalboxError('E_GIT', `merge conflict in ${conflicts.join(', ')}`, {
      next: 'resolve it, then signalbox resume',
    })
  const base =
    args.workspace.mode === 'worktree' ? args.workspace.base : ((await git.git.head()) ?? args.workspace.base)
  const update: StateUpdate = {
    branch,
    base_commit: base,
    history: historyUpdate(context, 'signalbox', `works on ${branch ?? 'the current checkout'}`),
  }
  if (args.planPath !== null) {
    const isForeign = async (path: string) => (await git.git.try(['cat-file', '-e', `${base}:${path}`])).code === 0
    const taken = new Set<string>()
    let path = args.planPath
    while (await isForeign(path)) {
      taken.add(path)
      path = freePlanPath(args.planPath, candidate => taken.has(candidate))
    }
    update.plan_path = path
    const plan = givenPlan(await context.services.store.readStream(runStream(context.call.run))) ?? args.plan
    if (plan !== null) {
      const file = planFile(context.cwd, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, plan)
      Object.assign(update, { external_plan: true, plan_markdown: plan, plan_hash: hashOf(plan) })
    }
  }
  return { route: routeAfterPrepare({ ...state, ...update }, args.pull), update, events }
}

/** Recreates a vanished worktree: its branch has the commits, the state the plan. */
export async function restoreWorkspace(context: NodeContext): Promise<void> {
  const events: NewEvent[] = []
  await ensureWorkspaceReady(context, events)
  for (const event of events) context.call.record(event)
  restorePlan(context)
}

/** Writes a plan from the state that is not committed yet. */
export function restorePlan({ state, cwd }: NodeContext): void {
  if (state.plan_path === null || !state.plan_markdown) return
  const file = planFile(cwd, state.plan_path)
  if (existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, state.plan_markdown)
}

async function ensureWorkspaceReady(context: NodeContext, events: NewEvent[]): Promise<string | null> {
  const { args, call, cwd } = context
  const { workspace } = args
  if (workspace.isPlaced) {
    await setUpOnce(context)
    return workspace.branch
  }
  if (workspace.mode === 'in_place') return workspace.branch ?? (await context.git.git.branch())
  if (workspace.branch === null || !workspace.isNewBranch) {
    if (existsSync(cwd)) return workspace.branch
  }
  const made = await ensureWorkspace(new Git(args.repository), {
    run: call.run,
    path: cwd,
    branch: context.state.branch ?? workspace.branch!,
    base: workspace.base,
    isNewBranch: workspace.isNewBranch,
  })
  if (made.made === 'restored')
    call.notice(
      'warning',
      `the worktree was missing and was recreated from ${made.branch}; uncommitted changes are lost`,
    )
  if (made.made !== 'there') {
    copyFiles(context)
    await setUp(context)
    events.push(
      newEvent('worktree.created', {
        path: cwd,
        branch: made.branch,
        base: workspace.base,
        ...(made.made === 'restored' && { isRestored: true }),
      }),
    )
  }
  return made.branch
}

/** Copies ignored files such as `.env`; refuses links and paths out of the repository. */
function copyFiles({ args, cwd }: NodeContext): void {
  for (const path of args.profile.worktreeCopy) {
    const from = resolve(args.repository, path)
    if (relative(args.repository, from).startsWith('..'))
      throw new SignalboxError('E_CONFIG', `worktree.copy leaves the repository: ${path}`)
    if (!existsSync(from)) continue
    const to = join(cwd, path)
    mkdirSync(dirname(to), { recursive: true })
    cpSync(from, to, { recursive: true, dereference: false })
  }
}

/** A worktree on a worker is made by its worker; each copy is set up there. */
async function setUpOnce(context: NodeContext): Promise<void> {
  const git = new Git(context.cwd)
  if ((await git.try(['config', '--local', SET_UP])).code === 0) return
  await setUp(context)
  await git.run(['config', '--local', SET_UP, context.call.run])
}

async function setUp({ call, args, cwd, services }: NodeContext): Promise<void> {
  const [file, ...rest] = (args.profile.worktreeSetup ?? '').split(/\s+/).filter(Boolean)
  if (file === undefined) return
  const done = await runStepCommand(file, rest, {
    cwd,
    env: services.environment(cwd),
    mark: call.name,
    signal: call.signal,
    timeoutMs: SETUP_TIMEOUT_MS,
    maxBytes: SETUP_OUTPUT_MAX,
    clock: services.clock,
    inSandbox: services.inSandbox && (program => services.inSandbox!(call, program)),
  })
  if (done.code === 0) return
  throw new SignalboxError(
    'E_CONFIG',
    `worktree.setup failed (${done.code}): ${`${done.stdout}${done.stderr}`.trim().slice(-500)}`,
    {
      next: 'fix the command in the profile, then start again',
    },
  )
}
