import { systemClock } from '../../clock/index.js'
import { listRuns, queuePosition, type RunRecord, readRun } from '../../engine/index.js'
import { type EventData, isEvent } from '../../events/index.js'
import type { StateOf } from '../../machine/index.js'
import { type oneshotTable, oneshotWorkflow } from '../../oneshot/index.js'
import type { PipelineRun } from '../../pipelines/index.js'
import { type DescribedRun, describeRun, reasonText } from '../../runs/index.js'
import type { EventStore, StoredEvent } from '../../store/index.js'
import { costText, formatDuration, runWord, visibleText } from '../../text/index.js'
import type { CommandContext, Style } from '../context.js'
import { answerCommand } from './answer-command.js'
import { showPipeline } from './show-pipeline.js'

/** A step of a run, built from its events. */
interface ShownStep {
  step: string
  startedAt: number
  endedAt: number | null
  status: string
  reason: string | null
  pid: number | null
  agentSession: string | null
  usage: EventData<'step.ended'>['usage'] | null
  verdict: { verdict: string; feedback: string; findings: { file?: string; line?: number; text: string }[] } | null
  complaint: string | null
  recovery: { verdict: string; evidence: { source: string; says: string }[] } | null
}

/** Prints the state and history of a run: steps, verdicts, recoveries, usage. */
export async function showRun(
  context: CommandContext,
  store: EventStore,
  record: RunRecord,
  { isJson, pipeline }: { isJson: boolean; pipeline: PipelineRun | null },
): Promise<void> {
  const events = await store.readStream(`run/${record.id}`)
  const steps = stepsOf(events)
  const described = await describeRun({ store, clock: systemClock }, record)
  const work = record.kind === 'oneshot' ? (await readRun(store, record.id, oneshotWorkflow)).run.work : null
  if (isJson) {
    const { isArchived: _, ...shown } = described
    const oneshot = work && {
      state: work.state,
      iteration: work.iteration,
      maxIterations: work.input.maxIterations,
      history: work.history,
      task: work.input.task,
      worker: work.input.worker,
      auditor: work.input.auditor,
    }
    const { state, next, usage } = pipeline ?? {}
    context.json({
      ...shown,
      ...(oneshot && { oneshot }),
      ...(pipeline && { pipeline: { state, next, usage } }),
      stepList: steps,
    })
    return
  }
  const { out, style } = context
  out(`${style('bold', record.id)}  ${visibleText(record.title)}`)
  const { next } = described
  const status = `${runWord(described)}${whyText(described)}`
  const took = formatDuration((record.endedAt ?? record.updatedAt) - record.createdAt)
  const { input, output, costUsd } = record.usage
  const cost = costUsd === undefined ? '' : ` · ${costText(record.usage, 4)}`
  out(`${record.kind} · ${status} · ${took} · ${input + output} tokens${cost}`)
  out(style('dim', record.workerName === null ? record.cwd : `${record.cwd} · on ${record.workerName}`))
  if (next !== null) out(`resume with: ${next}`)
  const queued = queuePosition(record, await listRuns(store))
  if (queued) out(`number ${queued.position} in the queue; waits for ${queued.waitsFor}`)
  if (work) {
    out('')
    out(
      `iteration ${work.iteration} of ${work.input.maxIterations} · worker ${work.input.worker.agent} · auditor ${work.input.auditor.agent}`,
    )
    for (const { state, ts, reason } of work.history)
      out(
        style(
          'dim',
          `  ${new Date(ts * 1000).toISOString()}  ${STATES[state]}${reason ? ` (${visibleText(reasonText(reason))})` : ''}`,
        ),
      )
  }
  if (pipeline) showPipeline(context, pipeline)
  if (steps.length > 0) out('')
  const failed = failedVisits(events)
  for (const step of steps) showStep(context, step, failed.get(visitOf(step.step)))
  for (const [gate, approval] of Object.entries(record.gates))
    out(`waiting at ${gate}: ${await answerCommand(store, approval)}`)
}

/** The states of a oneshot, in the words of its run where both mean the same. */
const STATES: Readonly<Record<StateOf<typeof oneshotTable>, string>> = {
  CREATED: 'created',
  WORKER_EXECUTING: 'worker working',
  RECOVERY_PENDING: 'inspecting what the worker left',
  AUDIT_PENDING: 'waiting for the auditor',
  AUDITOR_EXECUTING: 'auditor working',
  REITERATION_PENDING: 'back to the worker',
  INTERRUPTED: runWord({ status: 'paused' }),
  COMPLETED: runWord({ status: 'completed' }),
  FAILED: runWord({ status: 'failed' }),
  REJECTED: runWord({ status: 'rejected' }),
}

/** The reason in brackets, if there is more to say than the status. */
export function whyText({ why }: Pick<DescribedRun, 'why'>): string {
  return why === null ? '' : ` (${visibleText(why)})`
}

/**
 * Why nodes failed, by their visits. The step of a command ends well even if the command does not:
 * whether that is a failure, the node decides.
 */
function failedVisits(events: readonly StoredEvent[]): Map<string, string> {
  const failed = new Map<string, string>()
  for (const event of events) {
    if (!isEvent(event, 'node.finished') || event.data.status !== 'fail') continue
    const { node, visit, branch, failureReason } = event.data
    failed.set(`${branch === undefined ? '' : `${branch}/`}${node}@${visit}`, failureReason ?? '')
  }
  return failed
}

/** The visit of a step: `check@1` of `check@1#2`. */
function visitOf(step: string): string {
  return step.replace(/#\d+$/, '')
}

function showStep({ out, style }: CommandContext, step: ShownStep, failure: string | undefined): void {
  const isFailed = failure !== undefined && step.status === 'ok'
  const status = isFailed ? 'failed' : step.status
  const took = step.endedAt === null ? '' : ` · ${formatDuration(step.endedAt - step.startedAt)}`
  const spent = step.usage ? ` · ${step.usage.input + step.usage.output} tokens` : ''
  const colour = { ok: 'green', open: 'cyan', failed: 'red' }[status] as Style | undefined
  const reason = isFailed ? failure : step.status === 'ok' ? '' : reasonText(step.reason ?? '')
  const why = reason === '' ? '' : ` (${visibleText(reason)})`
  out(`${style(colour ?? 'yellow', status.padEnd(6))} ${step.step}${why}${style('dim', `${took}${spent}`)}`)
  if (step.verdict) {
    out(`       ${style('bold', step.verdict.verdict)} ${visibleText(step.verdict.feedback)}`)
    for (const { file, line, text } of step.verdict.findings)
      out(`       - ${visibleText(`${file ? `${file}${line ? `:${line}` : ''}: ` : ''}${text}`)}`)
  } else if (step.complaint) out(style('yellow', `       no verdict: ${visibleText(step.complaint)}`))
  if (!step.recovery) return
  out(`       recovered: ${step.recovery.verdict}`)
  for (const { source, says } of step.recovery.evidence) out(style('dim', `       - ${source}: ${visibleText(says)}`))
}

function stepsOf(events: readonly StoredEvent[]): ShownStep[] {
  const steps = new Map<string, ShownStep>()
  for (const { type, data, at } of events) {
    const name = (data as { step?: string }).step
    if (type === 'step.started' && name !== undefined)
      steps.set(name, {
        step: name,
        startedAt: at,
        endedAt: null,
        status: 'open',
        reason: null,
        pid: null,
        agentSession: null,
        usage: null,
        verdict: null,
        complaint: null,
        recovery: null,
      })
    if (/^run\.(paused|cancelled|failed|rejected|completed)$/.test(type))
      for (const open of steps.values()) if (open.endedAt === null) Object.assign(open, { endedAt: at, status: 'cut' })
    const step = name === undefined ? undefined : steps.get(name)
    if (step) applyEvent(step, type, data, at)
  }
  return [...steps.values()]
}

function applyEvent(step: ShownStep, type: string, data: Record<string, unknown>, at: number): void {
  if (type === 'step.spawned') {
    step.pid = Number(data.pid)
    step.agentSession = (data.agentSession as string | undefined) ?? null
  } else if (type === 'step.ended') {
    const { status, reason, usage, result } = data as EventData<'step.ended'>
    const stepResult = result as Pick<ShownStep, 'verdict' | 'complaint'> | null
    Object.assign(step, { endedAt: at, status, reason: reason ?? null, usage: usage ?? null })
    step.verdict = stepResult?.verdict ?? null
    step.complaint = stepResult?.complaint ?? null
  } else if (type === 'step.lost') Object.assign(step, { endedAt: at, status: 'lost' })
  else if (type === 'step.recovered') {
    const { verdict, evidence, usage } = data as EventData<'step.recovered'>
    step.recovery = { verdict, evidence }
    step.usage ??= usage ?? null
  }
}
