import { type ApprovalRecord, approvalsProjection } from '../../approvals/index.js'
import { getRun, type RunRecord } from '../../engine/index.js'
import { builtInPipelines, PipelineGit, type PipelineRun, readPipelineRun } from '../../pipelines/index.js'
import { runDirectory } from '../../runs/index.js'
import type { EventStore } from '../../store/index.js'
import { formatDuration, plural, visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import type { Home } from '../home.js'
import { driveHere, tellAs } from '../runs/drive-here.js'
import { askAtTerminal } from './gate-interviewer.js'
import { pipelineExit } from './pipeline-exit.js'
import { PipelineProgress } from './pipeline-progress.js'
import { showItems } from './show-items.js'

/** Drives a run of a pipeline in this process and tells the person. @returns the exit code. */
export async function drivePipeline(
  context: CommandContext,
  store: EventStore,
  home: Home,
  id: string,
  options: Record<string, unknown>,
): Promise<number> {
  const record = await getRun(store, id)
  const before = await readPipeline(store, home, record)
  const progress = options.json ? null : new PipelineProgress(context)
  if (progress) context.out(`${context.style('bold', id)}  ${visibleText(record.title)}`)
  const mayAsk = context.isInteractive && options.ask !== false && !options.json && !before.args.planOnly
  const final = await driveHere(
    context,
    store,
    home,
    id,
    { ...tellAs(context, progress), ...(mayAsk && { answerGate: askAtTerminal(context) }) },
    { stays: mayAsk },
  )
  return concludePipeline(context, store, home, final, options)
}

export function readPipeline(store: EventStore, home: Home, record: RunRecord): Promise<PipelineRun> {
  return readPipelineRun(store, record, {
    registry: builtInPipelines(),
    runDirectory: run => runDirectory(home.settings.dataDirectory, run),
  })
}

/** Says how the run stands, and how to go on. */
export async function concludePipeline(
  context: CommandContext,
  store: EventStore,
  home: Home,
  record: RunRecord,
  options: Record<string, unknown>,
): Promise<number> {
  const run = await readPipeline(store, home, record)
  const gates = await openGates(store, record)
  const exit = pipelineExit(
    record,
    run,
    gates.map(({ gate }) => gate),
  )
  const { state } = run
  if (options.json) {
    context.json(outcomeOf(record, run, gates, exit))
    return exit
  }
  const { out, style, note } = context
  const colour =
    record.status !== 'completed'
      ? record.status === 'failed'
        ? 'red'
        : 'yellow'
      : state.outcome === 'approved'
        ? 'green'
        : 'yellow'
  const took = formatDuration((record.endedAt ?? record.updatedAt) - record.createdAt)
  const { input, output, costUsd } = record.usage
  const cost = costUsd === undefined ? '' : ` · $${costUsd.toFixed(4)}`
  const word =
    record.status === 'completed'
      ? (state.final_response?.split('\n')[0] ?? 'completed')
      : `${record.status}${record.reason ? ` (${visibleText(record.reason)})` : ''}`
  out('')
  out(`${style(colour, style('bold', word))} · ${took} · ${input + output} tokens${cost}`)
  if (record.status === 'completed')
    for (const line of (state.final_response ?? '').split('\n').slice(1)) out(visibleText(line))
  if (state.pipeline_type === 'review') showItems(context, state)
  if (record.status === 'completed') await showReady(context, run)
  for (const { approval, gate } of gates) for (const hint of hintsFor(approval, gate)) note(hint)
  if (record.status === 'waiting') note(`after that, where nobody drives it: signalbox resume ${record.id}`)
  if (record.status === 'paused' || record.status === 'failed') note(`go on with: signalbox resume ${record.id}`)
  return exit
}

function outcomeOf(record: RunRecord, { state, usage, next }: PipelineRun, gates: readonly object[], exit: number) {
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
    const record = (await store.document<ApprovalRecord>(approvalsProjection.name, approval))?.state
    const gate = (record?.request.input as { gate?: string } | null)?.gate ?? record?.request.tool ?? 'gate'
    found.push({ approval, gate, fingerprint: record?.fingerprint ?? '' })
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
  return [
    gate === 'items'
      ? `pick items: signalbox answer ${approval} 1,2 (or all, none)`
      : `answer: signalbox answer ${approval} …`,
  ]
}

/** The branch as it can be taken over. */
async function showReady({ out, style }: CommandContext, { state, args }: PipelineRun): Promise<void> {
  if (state.pipeline_type !== 'implementation' || state.branch === null || state.base_commit === null) return
  const git = new PipelineGit(args.repository)
  if (!(await git.hasBranch(state.branch))) return
  const { stdout } = await git.git.try(['diff', '--no-color', '--stat=100', state.base_commit, state.branch, '--'])
  if (stdout.trim() === '') return
  out('')
  out(style('dim', stdout.trimEnd()))
  out(
    `${plural(state.tasks.filter(({ commit }) => commit).length, 'commit')} on ${style('bold', state.branch)}; take it over with: git merge ${state.branch}`,
  )
}
