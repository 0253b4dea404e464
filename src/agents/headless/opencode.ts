import { type ActivityBody, type ActivityParser, type JsonPart, truncateOutput } from '../../activity/index.js'
import { isRecord, type JsonRecord, numberOf, textOf } from '../json-lines.js'
import { opencodeTranscript } from '../opencode-transcript.js'
import { examineTranscript } from './examine.js'
import type { HeadlessAgent } from './headless.js'
import { errorOf, kindOfTool, rawRecord, rawText, usageOf } from './records.js'

/** Everything but edits is denied without asking; other configuration stays in effect. */
const EDITS = JSON.stringify({ edit: 'allow', bash: 'deny', webfetch: 'deny', external_directory: 'deny' })

/** `opencode run --format json` (1.18), without a terminal. Reports a tool when it ended. */
export const opencodeHeadless: HeadlessAgent = {
  levels: ['read', 'edits', 'all'],
  takesModel: true,
  takesSchema: false,
  reportsToolsLate: true,
  command(_, { name, permissions, model, resume }) {
    return {
      args: [
        'run',
        '--format',
        'json',
        ...(resume !== null ? ['-s', resume] : ['--title', name]),
        ...(permissions === 'read' ? ['--agent', 'plan'] : []),
        ...(permissions === 'all' ? ['--auto'] : []),
        ...(model !== null ? ['-m', model] : []),
      ],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        ...(permissions === 'edits' && { OPENCODE_PERMISSION: EDITS }),
      },
      stdin: 'prompt',
      agentSessionId: resume,
    }
  },
  parser: () => new OpenCodeStream(),
  examine: traces => examineTranscript(opencodeTranscript, traces),
}

class OpenCodeStream implements ActivityParser {
  #hasSession = false
  #answer = ''

  parse(part: JsonPart): ActivityBody[] {
    if (part.kind === 'text') return [rawText(part)]
    const record = part.value
    return [...this.#session(record), ...this.#read(record, isRecord(record.part) ? record.part : {})]
  }

  #session({ sessionID }: JsonRecord): ActivityBody[] {
    const sessionId = textOf(sessionID)
    if (this.#hasSession || sessionId === undefined) return []
    this.#hasSession = true
    return [{ type: 'session', sessionId }]
  }

  #read(record: JsonRecord, part: JsonRecord): ActivityBody[] {
    const block = textOf(part.id) ?? ''
    switch (record.type) {
      case 'step_start':
        return []
      case 'text':
        this.#answer = String(part.text ?? '')
        return [{ type: 'text', text: this.#answer, delta: false, block }]
      case 'reasoning':
        return [{ type: 'thought', text: String(part.text ?? ''), delta: false, block }]
      case 'tool_use':
        return this.#tool(part)
      case 'step_finish':
        return this.#finish(part)
      case 'error': {
        const { name, data } = isRecord(record.error) ? record.error : {}
        const about = isRecord(data) ? data : {}
        const text = textOf(about.message) ?? textOf(name) ?? 'unknown error'
        const status = typeof about.statusCode === 'number' ? about.statusCode : undefined
        const isAbort = name === 'MessageAbortedError'
        return [
          errorOf(text, { status, ...(isAbort && { class: 'interrupted' as const }) }),
          { type: 'result', ok: false, reason: textOf(name) ?? 'error', text },
        ]
      }
      default:
        return [rawRecord(record)]
    }
  }

  #tool(part: JsonRecord): ActivityBody[] {
    const state = isRecord(part.state) ? part.state : {}
    const metadata = isRecord(state.metadata) ? state.metadata : {}
    const callId = textOf(part.callID) ?? textOf(part.id) ?? ''
    const tool = textOf(part.tool) ?? 'unknown'
    const exit = typeof metadata.exit === 'number' ? metadata.exit : undefined
    const output = truncateOutput(textOf(state.output) ?? textOf(state.error) ?? '')
    const ok = state.status === 'completed' && (exit === undefined || exit === 0)
    return [
      { type: 'tool_call', callId, tool, kind: kindOfTool(tool), input: state.input },
      { type: 'tool_result', callId, ok, ...output, ...(exit !== undefined && { exitCode: exit }) },
    ]
  }

  #finish(part: JsonRecord): ActivityBody[] {
    const tokens = isRecord(part.tokens) ? part.tokens : {}
    const cache = isRecord(tokens.cache) ? tokens.cache : {}
    const costUsd = numberOf(part.cost)
    const usage = usageOf('turn', {
      input: tokens.input,
      output: tokens.output,
      reasoning: tokens.reasoning,
      cacheRead: cache.read,
      cacheWrite: cache.write,
      ...(costUsd > 0 && { costUsd }),
    })
    if (part.reason === 'tool-calls') return [usage]
    const ok = part.reason === 'stop'
    return [usage, { type: 'result', ok, reason: textOf(part.reason) ?? 'unknown', text: this.#answer }]
  }
}
