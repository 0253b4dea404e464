import { loadAgent } from '../../agents/index.js'
import { type ApprovalRecord, approvalsProjection } from '../../approvals/index.js'
import { type RunRecord, readRun } from '../../engine/index.js'
import { EXIT } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import { oneshotWorkflow } from '../../oneshot/index.js'
import { isPipelineRun, PipelineGit, type PipelineRun } from '../../pipelines/index.js'
import { agentEnvironment, readPipeline, type StartContext } from '../../runs/index.js'
import type { EventStore } from '../../store/index.js'
import { formatDuration, plural, visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { showItems } from './show-pipeline.js'

type RunPlace = Pick<StartContext, 'store' | 'home'>

/** Prints how a run ended or why it stopped, and how to continue. @returns the exit code. */
export async function concludeRun(
  context: CommandContext,
  place: RunPlace,
  record: RunRecord,
  { json }: { json?: boolean | undefined },
): Promise<number> {
  if (record.kind === 'oneshot') return concludeOneshot(context, place, record, json === true)
  if (isPipelineRun(record)) return concludePipeline(context, place, record, json === true)
  return concludeGraph(context, record, json === true)
}

function concludeGraph(context: CommandContext, record: RunRecord, isJson: boolean): number {
  const { id: run, status, reason, usage } = record
  if (isJson) {
    context.json({ type: 'outcome', run, status, reason, usage })
    return runExit(record)
  }
  const colour = status === 'completed' ? 'green' : status === 'failed' ? 'red' : 'yellow'
  const why = reason && status !== 'completed' ? ` (${visibleText(reason)})` : ''
  context.out('')
  context.out(
    `${context.style(colour, context.style('bold', status))}${why} · ${plural(record.steps, 'step')} · ${durationOf(record)}${costOf(record)}`,
  )
  if (status === 'waiting') {
    for (const approval of Object.values(record.gates)) context.note(`answer with: signalbox answer ${approval} …`)
    context.note(`then resume with: signalbox resume ${run}`)
  }
  if (status === 'paused' || status === 'failed') context.note(`resume with: signalbox resume ${run}`)
  return runExit(record)
}

async function concludeOneshot(
  context: CommandContext,
  { store, home }: RunPlace,
  record: RunRecord,
  isJson: boolean,
): Promise<number> {
  const { work } = (await readRun(store, record.id, oneshotWorkflow)).run
  const isSignedOut =
    work.state === 'FAILED' && work.history.slice(-2).some(({ reason }) => reason?.endsWith('error_auth'))
  const exit = isSignedOut ? EXIT.agentMissing : runExit(record)
  const { id: run, status, reason, usage } = record
  if (isJson) {
    context.json({ type: 'outcome', run, state: work.state, status, reason, iterations: work.iteration, usage })
    return exit
  }
  const { out, note, style } = context
  const colour = work.state === 'COMPLETED' ? 'green' : work.state === 'INTERRUPTED' ? 'yellow' : 'red'
  const why = reason && work.state !== 'COMPLETED' ? ` (${visibleText(reason)})` : ''
  out('')
  out(
    `${style(colour, style('bold', work.state))}${why} · ${plural(work.iteration, 'iteration')} · ${durationOf(record)} · ${usage.input + usage.output} tokens`,
  )
  const git = new Git(record.cwd)
  if (work.input.base && (await git.root())) {
    const stat = (await git.diff(work.input.base, { stat: true })).trimEnd()
    if (stat) out(stat)
    for (const path of (await git.untracked()).slice(0, 20)) out(` ${path} (new)`)
  }
  if (isSignedOut) {
    const role = work.before === 'AUDITOR_EXECUTING' ? work.input.auditor : work.input.worker
    const { name, title, signIn } = await loadAgent(role.agent)
    const next = signIn?.(agentEnvironment({ home, env: context.env, cwd: context.cwd }, name)).next
    note(`${title} is not signed in${next ? `; ${next}` : ''}`)
  }
  if (reason === 'budget')
    for (const approval of Object.values(record.gates)) note(`raise the limit: signalbox answer ${approval} raise`)
  if (status === 'paused' || work.state === 'FAILED') note(`resume with: signalbox oneshot --resume ${run}`)
  return exit
}

async function concludePipeline(
  context: CommandContext,
  { store, home }: RunPlace,
  record: RunRecord,
  isJson: boolean,
): Promise<number> {
  const run = await readPipeline(store, home.settings.dataDirectory, record)
  const gates = await openGates(store, record)
  const exit = pipelineExit(
    record,
    run,
    gates.map(({ gate }) => gate),
  )
  const { state } = run
  if (isJson) {
    context.json(pipelineOutcome(record, run, gates, exit))
    return exit
  }
  const { out, style, note } = context
  const isCompleted = record.status === 'completed'
  const colour = record.status === 'failed' ? 'red' : isCompleted && state.outcome === 'approved' ? 'green' : 'yellow'
  const [summary = 'completed', ...details] = (state.final_response ?? 'completed').split('\n')
  const headline = isCompleted ? summary : `${record.status}${record.reason ? ` (${visibleText(record.reason)})` : ''}`
  const { input, output } = record.usage
  out('')
  out(`${style(colour, style('bold', headline))} · ${durationOf(record)} · ${input + output} tokens${costOf(record)}`)
  if (isCompleted) for (const line of details) out(visibleText(line))
  if (state.pipeline_type === 'review') showItems(context, state)
  if (isCompleted) await showBranch(context, run)
  for (const { approval, gate } of gates) for (const hint of hintsFor(approval, gate)) note(hint)
  if (record.status === 'waiting') note(`then, if nothing drives the run: signalbox resume ${record.id}`)
  if (record.status === 'paused' || record.status === 'failed') note(`resume with: signalbox resume ${record.id}`)
  return exit
}

function pipelineOutcome(
  record: RunRecord,
  { state, usage, next }: PipelineRun,
  gates: readonly object[],
  exit: number,
) {
  return {
    type: 'outcome',
    run: record.id,
    pipeline: state.pipeline_type,
    status: record.status,
    outcome: state.outcome,
    reason: record.reason,
    next,
    gates,
    summary: state.final_response,
    branch: state.branch,
    worktree: state.worktree,
    base: state.base_commit,
    plan: state.plan_path,
    tasks: state.tasks,
    review:
      state.pipeline_type === 'review'
        ? {
            passes: state.review_pass,
            last: state.last_review,
            evaluation: state.evaluation_result,
            open: state.open_objections,
          }
        : undefined,
    usage: record.usage,
    usageBy: usage,
    exit,
  }
}

interface OpenGate {
  approval: string
  gate: string
  fingerprint: string
}

async function openGates(store: EventStore, record: RunRecord): Promise<OpenGate[]> {
  const found: OpenGate[] = []
  for (const approval of Object.values(record.gates)) {
    const request = (await store.document<ApprovalRecord>(approvalsProjection.name, approval))?.state
    const gate = (request?.request.input as { gate?: string } | null)?.gate ?? request?.request.tool ?? 'gate'
    found.push({ approval, gate, fingerprint: request?.fingerprint ?? '' })
  }
  return found
}

function hintsFor(approval: string, gate: string): string[] {
  if (gate === 'plan')
    return [
      `approve the plan: signalbox approve ${approval}`,
      `with your edits:  signalbox approve ${approval} --edit plan.md`,
      `a new plan:       signalbox deny ${approval} --note "what should be different"`,
    ]
  if (gate === 'items') return [`pick items: signalbox answer ${approval} 1,2 (or all, none)`]
  return [`answer: signalbox answer ${approval} …`]
}

/** The branch, its changes, and how to merge it. */
async function showBranch({ out, style }: CommandContext, { state, args }: PipelineRun): Promise<void> {
  if (state.pipeline_type !== 'implementation' || state.branch === null || state.base_commit === null) return
  const git = new PipelineGit(args.repository)
  if (!(await git.hasBranch(state.branch))) return
  const { stdout } = await git.git.try(['diff', '--no-color', '--stat=100', state.base_commit, state.branch, '--'])
  if (stdout.trim() === '') return
  const commits = state.tasks.filter(({ commit }) => commit).length
  out('')
  out(style('dim', stdout.trimEnd()))
  out(`${plural(commits, 'commit')} on ${style('bold', state.branch)}; merge it: git merge ${state.branch}`)
}

function durationOf({ endedAt, updatedAt, createdAt }: RunRecord): string {
  return formatDuration((endedAt ?? updatedAt) - createdAt)
}

function costOf({ usage: { costUsd } }: RunRecord): string {
  return costUsd === undefined ? '' : ` · $${costUsd.toFixed(4)}`
}

/** The exit code for how a run ended, or why it stopped. */
function runExit({ status, reason }: Pick<RunRecord, 'status' | 'reason'>): number {
  switch (status) {
    case 'completed':
      return EXIT.ok
    case 'rejected':
      return EXIT.rejected
    case 'cancelled':
      return EXIT.interrupted
    case 'waiting':
      return EXIT.needsHuman
    case 'paused':
      if (reason === 'budget') return EXIT.timeout
      return reason?.startsWith('agent_missing') ? EXIT.agentMissing : EXIT.interrupted
    case 'failed':
      if (reason === 'step_timeout') return EXIT.timeout
      return reason?.includes('error_auth') ? EXIT.agentMissing : EXIT.failed
    default:
      return EXIT.ok
  }
}

/** The exit code of a pipeline: work without approval is never 0, unless a person accepted it. */
function pipelineExit(record: RunRecord, { state, args }: PipelineRun, gates: readonly string[]): number {
  switch (record.status) {
    case 'completed':
      return state.outcome === 'objections' ? EXIT.rejected : EXIT.ok
    case 'cancelled':
      return record.reason === 'declined' ? EXIT.rejected : record.reason === 'budget' ? EXIT.timeout : EXIT.failed
    case 'waiting':
      if (gates.includes('spending')) return EXIT.timeout
      return args.planOnly && gates.includes('plan') ? EXIT.ok : EXIT.needsHuman
    case 'failed':
      if (record.reason === 'budget') return EXIT.timeout
      return /error_auth|not signed in|was not found/.test(record.reason ?? '') ? EXIT.agentMissing : EXIT.failed
    default:
      return runExit(record)
  }
}
