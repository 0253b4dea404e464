import { type ActivityBody, type ActivityParser, type JsonPart, truncateOutput } from '../../activity/index.js'
import { geminiTranscript } from '../gemini-transcript.js'
import { isRecord, type JsonRecord, textOf } from '../json-lines.js'
import { examineTranscript } from './examine.js'
import type { HeadlessAgent } from './headless.js'
import { errorOf, kindOfTool, rawRecord, rawText, usageOf } from './records.js'

const MODES = { read: 'plan', ask: 'default', edits: 'auto_edit', all: 'yolo' } as const

/** Gemini CLI without a terminal (0.61). */
export const geminiHeadless: HeadlessAgent = {
  levels: ['read', 'edits', 'all'],
  takesModel: true,
  takesSchema: false,
  command(_, { permissions, model, resume, newSessionId }) {
    return {
      args: [
        '-o',
        'stream-json',
        '--approval-mode',
        MODES[permissions],
        ...(resume !== null ? ['--resume', resume] : ['--session-id', newSessionId]),
        ...(model !== null ? ['-m', model] : []),
      ],
      env: {},
      stdin: 'prompt',
      agentSessionId: resume ?? newSessionId,
    }
  },
  parser: () => new GeminiStream(),
  // Its transcript never says that a turn has ended: an answer at the end with no open call is the
  // only evidence.
  examine: traces => examineTranscript(geminiTranscript, traces, { isTurnOver: async () => true }),
}

/** An answer comes in pieces without a last one: a record of another kind ends it. */
class GeminiStream implements ActivityParser {
  #pieces = ''
  #blocks = 0
  #answer = ''

  parse(part: JsonPart): ActivityBody[] {
    if (part.kind === 'text') return [rawText(part)]
    const record = part.value
    if (record.type === 'message' && record.role === 'assistant') {
      const text = String(record.content ?? '')
      this.#pieces += text
      return [{ type: 'text', text, delta: true, block: `text_${this.#blocks + 1}` }]
    }
    return [...this.end(), ...this.#read(record)]
  }

  end(): ActivityBody[] {
    if (this.#pieces === '') return []
    this.#answer = this.#pieces
    this.#pieces = ''
    return [{ type: 'text', text: this.#answer, delta: false, block: `text_${++this.#blocks}` }]
  }

  #read(record: JsonRecord): ActivityBody[] {
    const callId = textOf(record.tool_id) ?? ''
    switch (record.type) {
      case 'init': {
        const sessionId = textOf(record.session_id)
        const model = textOf(record.model)
        return sessionId === undefined ? [] : [{ type: 'session', sessionId, ...(model !== undefined && { model }) }]
      }
      case 'message':
        return []
      case 'tool_use': {
        const tool = textOf(record.tool_name) ?? 'unknown'
        return [{ type: 'tool_call', callId, tool, kind: kindOfTool(tool), input: record.parameters }]
      }
      case 'tool_result': {
        // A failed command counts as a success of the tool, and its exit code is not reported.
        const problem = isRecord(record.error) ? textOf(record.error.message) : undefined
        const output = textOf(record.output) ?? problem ?? ''
        return [{ type: 'tool_result', callId, ok: record.status === 'success', ...truncateOutput(output) }]
      }
      case 'error':
        return [
          {
            type: 'notice',
            level: record.severity === 'error' ? 'error' : 'warning',
            text: textOf(record.message) ?? 'unknown',
          },
        ]
      case 'result':
        return this.#result(record)
      default:
        return [rawRecord(record)]
    }
  }

  #result(record: JsonRecord): ActivityBody[] {
    const stats = isRecord(record.stats) ? record.stats : {}
    const usage = usageOf('run', {
      input: stats.input_tokens,
      output: stats.output_tokens,
      cacheRead: stats.cached,
    })
    if (record.status === 'success') return [usage, { type: 'result', ok: true, reason: 'success', text: this.#answer }]
    const text = (isRecord(record.error) ? textOf(record.error.message) : undefined) ?? 'unknown error'
    return [usage, errorOf(text), { type: 'result', ok: false, reason: 'error', text }]
  }
}
