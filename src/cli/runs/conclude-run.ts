import { loadAgent } from '../../agents/index.js'
import { type ApprovalRecord, approvalsProjection } from '../../approvals/index.js'
import { systemClock } from '../../clock/index.js'
import { type RunRecord, readRun } from '../../engine/index.js'
import { EXIT } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import { oneshotWorkflow } from '../../oneshot/index.js'
import { isPipelineRun, PipelineGit, type PipelineRun } from '../../pipelines/index.js'
import {
  agentEnvironment,
  continuesInDaemon,
  type DescribedRun,
  describeRun,
  readPipeline,
  type StartContext,
} from '../../runs/index.js'
import type { EventStore } from '../../store/index.js'
import { costText, formatDuration, plural, runWord, visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { answerCommand } from './answer-command.js'
import { pipelineExit, runExit } from './run-exit.js'
import { showItems } from './show-pipeline.js'
import { whyText } from './show-run.js'

type RunContext = Pick<StartContext, 'store' | 'home'>

/** Prints how a run ended or why it stopped, and how to continue. @returns the exit code. */
export async function concludeRun(
  context: CommandContext,
  runContext: RunContext,
  record: RunRecord,
  { json }: { json?: boolean | undefined },
): Promise<number> {
  const described = await describeRun({ store: runContext.store, clock: systemClock }, record)
  if (described.isUndriven) return concludeUndriven(context, described, json === true)
  if (record.kind === 'oneshot') return concludeOneshot(context, runContext, described, json === true)
  if (isPipelineRun(record)) return concludePipeline(context, runContext, described, json === true)
  return concludeGraph(context, runContext, described, json === true)
}

/** A run that was followed, and whose driver died. */
function concludeUndriven(context: CommandContext, record: DescribedRun, isJson: boolean): number {
  const { id: run, status, why, next } = record
  if (isJson) context.json({ type: 'outcome', run, status, isUndriven: true, why, next })
  else {
    context.out('')
    context.out(context.style('red', context.style('bold', runWord(record))) + whyText(record))
    context.note(`resume with: ${next}`)
  }
  return EXIT.needsHuman
}

async function concludeGraph(
  context: CommandContext,
  runContext: RunContext,
  record: DescribedRun,
  isJson: boolean,
): Promise<number> {
  const { store } = runContext
  const { id: run, status, reason, why, next, usage } = record
  if (isJson) {
    context.json({ type: 'outcome', run, status, reason, why, next, usage })
    return runExit(record)
  }
  const colour = status === 'completed' ? 'green' : status === 'failed' ? 'red' : 'yellow'
  context.out('')
  context.out(
    `${context.style(colour, context.style('bold', runWord(record)))}${whyText(record)} · ${plural(record.steps, 'step')} · ${durationOf(record)}${costOf(record)}`,
  )
  if (status === 'waiting') {
    for (const approval of Object.values(record.gates))
      context.note(`answer with: ${await answerCommand(store, approval)}`)
    context.note(await afterAnswer(runContext, record))
  }
  if (next !== null) context.note(`resume with: ${next}`)
  return runExit(record)
}

async function concludeOneshot(
  context: CommandContext,
  { store, home }: RunContext,
  record: DescribedRun,
  isJson: boolean,
): Promise<number> {
  const { work } = (await readRun(store, record.id, oneshotWorkflow)).run
  const isSignedOut =
    work.state === 'FAILED' && work.history.slice(-2).some(({ reason }) => reason?.endsWith('error_auth'))
  const exit = isSignedOut ? EXIT.programMissing : runExit(record)
  const { id: run, status, reason, why, next, usage } = record
  if (isJson) {
    context.json({
      type: 'outcome',
      run,
      state: work.state,
      status,
      reason,
      why,
      next,
      iterations: work.iteration,
      usage,
    })
    return exit
  }
  const { out, note, style } = context
  const colour = work.state === 'COMPLETED' ? 'green' : work.state === 'INTERRUPTED' ? 'yellow' : 'red'
  out('')
  out(
    `${style(colour, style('bold', runWord(record)))}${whyText(record)} · ${plural(work.iteration, 'iteration')} · ${durationOf(record)} · ${usage.input + usage.output} tokens`,
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
  if (next !== null) note(`resume with: ${next}`)
  return exit
}

async function concludePipeline(
  context: CommandContext,
  runContext: RunContext,
  record: DescribedRun,
  isJson: boolean,
): Promise<number> {
  const { store, home } = runContext
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
  const headline = isCompleted ? summary : `${runWord(record)}${whyText(record)}`
  const { input, output } = record.usage
  out('')
  out(`${style(colour, style('bold', headline))} · ${durationOf(record)} · ${input + output} tokens${costOf(record)}`)
  if (isCompleted) for (const line of details) out(visibleText(line))
  if (state.pipeline_type === 'review') showItems(context, state)
  if (isCompleted) await showBranch(context, run)
  for (const { approval, gate } of gates) for (const hint of await hintsFor(store, approval, gate)) note(hint)
  if (record.status === 'waiting') note(await afterAnswer(runContext, record))
  if (record.next !== null) note(`resume with: ${record.next}`)
  return exit
}

function pipelineOutcome(
  record: DescribedRun,
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
    why: record.why,
    next,
    gates,
    summary: state.final_response,
    branch: state.branch,
    worktree: state.worktree,
    base: state.base_commit,
    plan: state.plan_path,
    tasks: state.tasks,
    ...(state.pull && { pullRequest: { url: state.pull.url, state: state.pull.state, checks: state.pull.checks } }),
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

/** How the run continues, whose process ends now. */
async function afterAnswer(runContext: RunContext, record: DescribedRun): Promise<string> {
  return (await continuesInDaemon(runContext, record))
    ? `the daemon then continues the run; follow it: signalbox logs -f ${record.id}`
    : `then continue it here: signalbox resume ${record.id}`
}

interface OpenGate {
  approval: string
  gate: string
  fingerprint: string
}

async function openGates(store: EventStore, record: DescribedRun): Promise<OpenGate[]> {
  const found: OpenGate[] = []
  for (const approval of Object.values(record.gates)) {
    const request = (await store.document<ApprovalRecord>(approvalsProjection.name, approval))?.state
    const gate = (request?.request.input as { gate?: string } | null)?.gate ?? request?.request.tool ?? 'gate'
    found.push({ approval, gate, fingerprint: request?.fingerprint ?? '' })
  }
  return found
}

async function hintsFor(store: EventStore, approval: string, gate: string): Promise<string[]> {
  if (gate === 'plan')
    return [
      `approve the plan: signalbox approve ${approval}`,
      `with your edits:  signalbox approve ${approval} --edit plan.md`,
      `a new plan:       signalbox deny ${approval} --note "what should be different"`,
    ]
  if (gate === 'items') return [`pick items: signalbox answer ${approval} 1,2 (or all, none)`]
  return [`answer with: ${await answerCommand(store, approval)}`]
}

/** The branch, its changes, and how to merge it. */
async function showBranch({ out, style }: CommandContext, { state, args }: PipelineRun): Promise<void> {
  if (state.pipeline_type !== 'implementation' || state.branch === null || state.base_commit === null) return
  const git = new PipelineGit(args.repository)
  if (!(await git.git.hasBranch(state.branch))) return
  const { stdout } = await git.git.try(['diff', '--no-color', '--stat=100', state.base_commit, state.branch, '--'])
  if (stdout.trim() === '') return
  const commits = state.tasks.filter(({ commit }) => commit).length
  out('')
  out(style('dim', stdout.trimEnd()))
  out(`${plural(commits, 'commit')} on ${style('bold', state.branch)}; merge it: git merge ${state.branch}`)
}

function durationOf({ endedAt, updatedAt, createdAt }: DescribedRun): string {
  return formatDuration((endedAt ?? updatedAt) - createdAt)
}

function costOf({ usage }: DescribedRun): string {
  return usage.costUsd === undefined ? '' : ` · ${costText(usage, 4)}`
}
