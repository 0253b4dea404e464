import type { AgentTranscript } from '../adapter.js'
import type { AgentStatement } from '../report.js'
import type { Findings, StepTraces } from './headless.js'

/** At most this many statements are read; the last ones decide. */
const STATEMENTS_MAX = 20_000

export interface ExamineOptions {
  /** For transcripts that may lack an end of turn: whether one that ends with text is over. */
  isTurnOver?(file: string): Promise<boolean>
}

/**
 * Finds what a step left behind in the agent's own transcript: complete if the answer to the step's
 * prompt ends with an end of turn and no tool is open, work if anything was said or done. An
 * unreadable file is reported as evidence.
 */
export async function examineTranscript(
  transcript: AgentTranscript,
  traces: StepTraces,
  options: ExamineOptions = {},
): Promise<Findings> {
  const { env, cwd, sessionId, startedAt } = traces
  const lookup = { env, cwd, agentSessionId: sessionId, startedAt }
  const nothing: Findings = { isComplete: false, hasWork: false, text: null, sessionId, evidence: [] }
  const files = await transcript.locate(lookup)
  const [file] = files
  if (file === undefined)
    return { ...nothing, evidence: [{ source: 'transcript', says: 'the agent left no transcript of this session' }] }
  const reader = transcript.open(file, lookup)
  try {
    const { statements } = await reader.read()
    return await judge(statements.slice(-STATEMENTS_MAX), traces, file, options)
  } catch (error) {
    const says = `could not be read: ${(error as Error).message}`
    return { ...nothing, evidence: [{ source: 'transcript', locator: file, says }] }
  } finally {
    reader.close()
  }
}

async function judge(
  statements: readonly (AgentStatement & { at: number | null })[],
  traces: StepTraces,
  file: string,
  { isTurnOver }: ExamineOptions,
): Promise<Findings> {
  const own = statements.filter(statement => statement.subAgent === undefined)
  const from = own.findLastIndex(
    ({ kind, at }) => kind === 'prompt' && (at === null || at >= traces.startedAt - CLOCK_SLACK_MS),
  )
  const sessionId =
    own.flatMap(statement => (statement.kind === 'session' ? statement.agentSession : []))[0] ?? traces.sessionId
  const since = from < 0 ? [] : own.slice(from + 1)
  // Some agents record a call only when it has ended: calls that our own log saw start count as
  // open, too.
  const open = new Set(traces.openCalls)
  let last: string | null = null
  let text: string | null = null
  let end: { outcome: string; text?: string; at: number | null } | undefined
  let done = 0
  for (const statement of since) {
    if (statement.kind === 'said') text = statement.markdown
    if (statement.kind === 'turn-ended') end = statement
    else if (statement.kind !== 'usage' && statement.kind !== 'ended') {
      end = undefined
      last = statement.kind
    }
    if (statement.kind !== 'tool') continue
    if (statement.state === 'started') open.add(statement.key ?? '')
    else {
      open.delete(statement.key ?? '')
      done++
    }
  }
  const isOver = end ? end.outcome === 'done' : last === 'said' && (await isTurnOver?.(file)) === true
  const isComplete = isOver && open.size === 0
  const when = end?.at ?? since.at(-1)?.at ?? null
  const says = isComplete
    ? 'the transcript ends with a complete answer'
    : from < 0
      ? 'the transcript does not contain the prompt of this step'
      : open.size > 0
        ? 'the transcript ends in the middle of a tool call'
        : since.length === 0
          ? 'the transcript ends with the prompt'
          : 'the transcript ends before the answer is complete'
  return {
    isComplete,
    hasWork: text !== null || done > 0,
    text: end?.text ?? text,
    sessionId,
    evidence: [{ source: 'transcript', locator: file, says, ...(when !== null && { at: when }) }],
  }
}

/** Timestamps of records and processes may differ by rounding. */
const CLOCK_SLACK_MS = 2_000
