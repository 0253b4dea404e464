import type { AgentTranscript } from '../adapter.js'
import type { AgentStatement } from '../report.js'
import type { Findings, StepTraces } from './headless.js'

/** Transcripts beyond this are not read to the end: the last records decide. */
const STATEMENTS_MAX = 20_000

export interface ExamineOptions {
  /**
   * For agents whose transcript may end without a word about the end of the turn: whether a conversation that ends with something said is
   * over. Asked only then, with the path of the transcript.
   */
  isAtRest?(file: string): Promise<boolean>
}

/**
 * What a step left behind, by the agent's own transcript: complete when the answer to the step's prompt ends with an end of turn and no tool is
 * still open, work when anything was said or done. A file that cannot be read is said to be there.
 */
export async function examineTranscript(
  transcript: AgentTranscript,
  traces: StepTraces,
  options: ExamineOptions = {},
): Promise<Findings> {
  const { env, cwd, sessionId, startedAt } = traces
  const place = { env, cwd, agentSessionId: sessionId, startedAt }
  const nothing: Findings = { isComplete: false, hasWork: false, text: null, sessionId, evidence: [] }
  const files = await transcript.locate(place)
  const [file] = files
  if (file === undefined)
    return { ...nothing, evidence: [{ source: 'transcript', says: 'the agent left no transcript of this session' }] }
  const reader = transcript.open(file, place)
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
  { isAtRest }: ExamineOptions,
): Promise<Findings> {
  const own = statements.filter(statement => statement.subAgent === undefined)
  const from = own.findLastIndex(
    ({ is, at }) => is === 'prompt' && (at === null || at >= traces.startedAt - CLOCK_SLACK_MS),
  )
  const sessionId =
    own.flatMap(statement => (statement.is === 'session' ? statement.agentSession : []))[0] ?? traces.sessionId
  const since = from < 0 ? [] : own.slice(from + 1)
  // Some write a call down only when it has ended: what our own log saw begin counts as open, too.
  const open = new Set(traces.openCalls)
  let last: string | null = null
  let text: string | null = null
  let end: { outcome: string; text?: string; at: number | null } | undefined
  let done = 0
  for (const statement of since) {
    if (statement.is === 'said') text = statement.markdown
    if (statement.is === 'turn-ended') end = statement
    else if (statement.is !== 'usage' && statement.is !== 'ended') {
      end = undefined
      last = statement.is
    }
    if (statement.is !== 'tool') continue
    if (statement.state === 'started') open.add(statement.key ?? '')
    else {
      open.delete(statement.key ?? '')
      done++
    }
  }
  const isOver = end ? end.outcome === 'done' : last === 'said' && (await isAtRest?.(file)) === true
  const isComplete = isOver && open.size === 0
  const when = end?.at ?? since.at(-1)?.at ?? null
  const says = isComplete
    ? 'the transcript ends with a complete answer'
    : from < 0
      ? 'the transcript does not hold the prompt of this step'
      : open.size > 0
        ? 'the transcript ends in the middle of a tool call'
        : since.length === 0
          ? 'the transcript ends with the prompt'
          : 'the transcript ends before the answer does'
  return {
    isComplete,
    hasWork: text !== null || done > 0,
    text: end?.text ?? text,
    sessionId,
    evidence: [{ source: 'transcript', locator: file, says, ...(when !== null && { at: when }) }],
  }
}

/** Clocks of records and of processes may differ by their rounding. */
const CLOCK_SLACK_MS = 2_000
