import {
  type ActivityBody,
  type ActivityParser,
  type ErrorClass,
  type JsonPart,
  truncateOutput,
} from '../../activity/index.js'
import { copilotTranscript } from '../copilot-transcript.js'
import { isRecord, type JsonRecord, numberOf, textOf } from '../json-lines.js'
import { examineTranscript } from './examine.js'
import type { HeadlessAgent, PermissionLevel } from './headless.js'
import { errorOf, kindOfTool, rawRecord, rawText } from './records.js'

const PERMISSION_ARGS: Readonly<Record<PermissionLevel, readonly string[]>> = {
  read: ['--allow-tool=read', '--deny-tool=write', '--deny-tool=shell'],
  ask: [],
  edits: ['--allow-tool=write'],
  all: ['--allow-all-tools'],
}

/** GitHub Copilot CLI without a terminal (1.0). */
export const copilotHeadless: HeadlessAgent = {
  levels: ['read', 'edits', 'all'],
  takesModel: true,
  takesSchema: false,
  command(_, { permissions, model, resume, newSessionId }) {
    return {
      args: [
        '--output-format',
        'json',
        '--no-auto-update',
        '--no-ask-user',
        resume !== null ? `--resume=${resume}` : `--session-id=${newSessionId}`,
        ...PERMISSION_ARGS[permissions],
        ...(model !== null ? ['--model', model] : []),
      ],
      env: {},
      stdin: 'prompt',
      agentSessionId: resume ?? newSessionId,
    }
  },
  parser: () => new CopilotStream(),
  examine: traces => examineTranscript(copilotTranscript, traces),
}

const ERRORS: Readonly<Record<string, ErrorClass>> = {
  authentication: 'auth',
  authorization: 'auth',
  rate_limit: 'rate_limit',
  quota: 'budget',
  context_limit: 'context_length',
  network: 'network',
}

/** Events about models and internals, not about the work. */
const INTERNAL = ['session.', 'model.', 'hook.', 'permission.', 'user.', 'system.']
const IGNORED = new Set([
  'assistant.turn_start',
  'assistant.turn_end',
  'assistant.message_start',
  'assistant.idle',
  'assistant.intent',
  'assistant.tool_call_delta',
  'assistant.streaming_delta',
  'assistant.usage',
  'tool.shell_output',
  'tool.user_requested',
])

/** Its last record says exit code 0 even after a stop: an abort before it means failure. */
class CopilotStream implements ActivityParser {
  #answer = ''
  #isAborted = false
  #retries = 0

  parse(part: JsonPart): ActivityBody[] {
    if (part.kind === 'text') return [rawText(part)]
    const record = part.value
    const bodies = this.#read(record, isRecord(record.data) ? record.data : {})
    const parent = textOf(record.agentId)
    return parent === undefined ? bodies : bodies.map(body => ({ ...body, parent }))
  }

  #read(record: JsonRecord, data: JsonRecord): ActivityBody[] {
    const type = String(record.type)
    const block = textOf(data.messageId) ?? ''
    const callId = textOf(data.toolCallId) ?? ''
    switch (type) {
      case 'assistant.message_delta':
        return [{ type: 'text', text: String(data.deltaContent ?? ''), delta: true, block }]
      case 'assistant.reasoning_delta':
        return [{ type: 'thought', text: String(data.deltaContent ?? ''), delta: true, block }]
      case 'assistant.reasoning':
        return [{ type: 'thought', text: String(data.content ?? ''), delta: false, block }]
      case 'assistant.message': {
        const text = textOf(data.content)
        if (text === undefined) return []
        if (record.agentId === undefined) this.#answer = text
        return [{ type: 'text', text, delta: false, block }]
      }
      case 'tool.execution_start': {
        const tool = textOf(data.toolName) ?? 'unknown'
        return [{ type: 'tool_call', callId, tool, kind: kindOfTool(tool), input: data.arguments }]
      }
      case 'tool.execution_partial_result':
        return [{ type: 'tool_progress', callId, text: String(data.partialOutput ?? '') }]
      case 'tool.execution_complete':
        return this.#complete(data, callId)
      case 'assistant.turn_retry':
        return [{ type: 'retry', attempt: ++this.#retries, reason: textOf(data.reason) ?? 'the model did not answer' }]
      case 'session.error': {
        const status = typeof data.statusCode === 'number' ? data.statusCode : undefined
        const kind = ERRORS[String(data.errorType)]
        return [errorOf(textOf(data.message) ?? 'unknown error', { status, ...(kind && { class: kind }) })]
      }
      case 'abort':
      case 'agent.interrupted':
        this.#isAborted = true
        return [errorOf(textOf(data.reason) ?? 'interrupted', { class: 'interrupted' })]
      case 'result':
        return this.#result(record)
      default:
        return IGNORED.has(type) || INTERNAL.some(prefix => type.startsWith(prefix)) ? [] : [rawRecord(record)]
    }
  }

  #complete(data: JsonRecord, callId: string): ActivityBody[] {
    const shell = isRecord(data.shellExecution) ? data.shellExecution : {}
    const exit = typeof shell.exitCode === 'number' ? shell.exitCode : undefined
    const text = isRecord(data.result) ? textOf(data.result.content) : undefined
    const problem = isRecord(data.error) ? textOf(data.error.message) : undefined
    const ok = data.success === true && (exit === undefined || exit === 0)
    const output = truncateOutput(text ?? problem ?? '')
    return [{ type: 'tool_result', callId, ok, ...output, ...(exit !== undefined && { exitCode: exit }) }]
  }

  #result(record: JsonRecord): ActivityBody[] {
    const sessionId = textOf(record.sessionId)
    const code = numberOf(record.exitCode)
    const ok = record.exitCode === 0 && !this.#isAborted
    return [
      ...(sessionId === undefined ? [] : [{ type: 'session' as const, sessionId }]),
      {
        type: 'result',
        ok,
        reason: ok ? 'exit_0' : this.#isAborted ? 'interrupted' : `exit_${code}`,
        text: this.#answer,
      },
    ]
  }
}
