import type { ActivityBody, ActivityParser, JsonPart } from '../../activity/index.js'
import { truncateOutput } from '../../activity/index.js'
import { demoTranscript } from '../demo-transcript.js'
import { examineTranscript } from './examine.js'
import type { HeadlessAgent } from './headless.js'

/** The demo agent prints our own activities, one JSON object per line: docs/demo-agent.md. */
export const demoHeadless: HeadlessAgent = {
  levels: ['read', 'ask', 'edits', 'all'],
  takesModel: false,
  takesSchema: false,
  command(_, { permissions, resume, newSessionId }) {
    const identity = resume ? ['--resume', resume] : ['--session-id', newSessionId]
    return {
      args: ['--headless', '--permission-mode', permissions, ...identity],
      env: {},
      stdin: permissions === 'ask' ? 'protocol' : 'prompt',
      agentSessionId: resume ?? newSessionId,
    }
  },
  protocol: {
    prompt: text => `${JSON.stringify({ type: 'user', text })}\n`,
    answer: ({ requestId }, { isAllowed, message }) =>
      `${JSON.stringify({ requestId, decision: isAllowed ? 'allow' : 'deny', ...(message !== undefined && { message }) })}\n`,
  },
  parser: () => demoParser,
  examine: traces => examineTranscript(demoTranscript, traces),
}

const KNOWN = new Set([
  'session',
  'text',
  'thought',
  'tool_call',
  'tool_progress',
  'tool_result',
  'file_change',
  'todo',
  'approval',
  'question',
  'retry',
  'usage',
  'notice',
  'error',
  'result',
])

export const demoParser: ActivityParser = {
  parse(part: JsonPart): ActivityBody[] {
    if (part.kind === 'text') {
      const { text, malformed, truncated } = part
      return [{ type: 'raw', text, ...(malformed && { malformed }), ...(truncated && { truncated }) }]
    }
    const { at: _at, seq: _seq, ...record } = part.value
    if (typeof record.type !== 'string' || !KNOWN.has(record.type))
      return [{ type: 'raw', text: JSON.stringify(record) }]
    if (record.type === 'tool_result' && typeof record.output === 'string')
      return [{ ...record, ...truncateOutput(record.output) } as unknown as ActivityBody]
    return [record as unknown as ActivityBody]
  },
}
