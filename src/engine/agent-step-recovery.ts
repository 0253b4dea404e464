import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Activity, readSegment, SegmentWriter } from '../activity/index.js'
import { loadAgent, StepProgress } from '../agents/index.js'
import type { AgentStepsOptions } from './agent-step.js'
import { onceKey } from './live-turn.js'
import { changesSince, type StepStart } from './step-start.js'
import { withEstimatedCost } from './usage.js'
import type { Recovery, StepCall } from './workflow.js'

type RecoveryOptions = Pick<AgentStepsOptions, 'clock' | 'redactor' | 'environment' | 'prices' | 'onActivity'>

/**
 * Finds what a step left behind when it died or was cut off: our own log first, then the agent's
 * files, then the working tree.
 */
export async function recoverStep(
  options: RecoveryOptions,
  call: StepCall,
  { start, directory, segment }: { start: StepStart | null; directory: string; segment: string },
): Promise<Recovery> {
  const log = await readStepLog(segment)
  const { progress } = log
  const { prices = {} } = options
  const usage = progress.usage && { usage: withEstimatedCost(progress.usage, progress.model, prices) }
  if (progress.result?.ok) {
    const evidence = [{ source: 'log', at: log.at, says: 'the agent had sent its final record' }]
    const { sessionId, text } = progress
    return { verdict: 'success', evidence, text, ...(sessionId !== null && { sessionId }), ...usage }
  }
  if (!start) return { verdict: 'nothing', evidence: [{ source: 'step', says: 'the agent was never started' }] }
  const adapter = await loadAgent(start.agent)
  const found = await adapter.headless?.examine({
    env: options.environment(start.cwd),
    cwd: start.cwd,
    directory,
    sessionId: progress.sessionId ?? start.sessionId,
    startedAt: start.startedAt,
    pid: start.pid,
    prompt: readText(join(directory, 'prompt.md')),
    openCalls: progress.openCalls,
  })
  const changed = await changesSince(start)
  const evidence: Recovery['evidence'] = [
    ...(found?.evidence ?? []),
    ...(changed ? [{ source: 'working tree', says: changed }] : []),
  ]
  const sessionId = found?.sessionId ?? progress.sessionId ?? start.sessionId
  const text = found?.text ?? (progress.said || null)
  // The output of an agent that is not signed in does not count as work.
  const hasSaid = progress.errorClass !== 'auth' && (found?.hasWork || progress.said !== '')
  const hasWork = hasSaid || changed !== null
  const verdict = found?.isComplete ? 'success' : hasWork ? 'partial' : 'nothing'
  if (verdict === 'success' && text !== null && !log.isReplayed)
    await replay(options, call, segment, { agent: start.agent, text, sessionId, seq: log.seq + 1 })
  return { verdict, evidence, ...(text !== null && { text }), ...(sessionId !== null && { sessionId }), ...usage }
}

/** Reads the step's activity log. */
export async function readStepLog(segment: string) {
  const progress = new StepProgress()
  const log = { progress, seq: 0, at: 0, isReplayed: false, logged: new Set<string>() }
  for await (const activity of readSegment(segment)) {
    log.seq = activity.seq
    log.at = activity.at
    log.isReplayed ||= activity.recovered === true
    const key = onceKey(activity)
    if (key !== null) log.logged.add(key)
    progress.sessionId ??= activity.sessionId ?? null
    progress.addActivity(activity)
  }
  return log
}

/** Logs a recovered answer as if it had arrived in time, marked as recovered. */
async function replay(
  options: RecoveryOptions,
  call: StepCall,
  file: string,
  { agent, text, sessionId, seq }: { agent: string; text: string; sessionId: string | null; seq: number },
): Promise<void> {
  const { clock, redactor, onActivity } = options
  const activity: Activity = {
    step: call.name,
    seq,
    at: clock.now(),
    agent,
    ...(sessionId !== null && { sessionId }),
    recovered: true,
    type: 'text',
    text: redactor.redact(text),
    delta: false,
  }
  const segment = new SegmentWriter(file, clock)
  segment.append(activity)
  await segment.close()
  onActivity?.(call.run, activity)
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
