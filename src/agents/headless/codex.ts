import { type ActivityBody, type ActivityParser, type JsonPart, truncateOutput } from '../../activity/index.js'
import { codexTranscript } from '../codex-transcript.js'
import { partsOf, textOfParts } from '../conversation.js'
import { isRecord, type JsonRecord, textOf } from '../json-lines.js'
import { examineTranscript } from './examine.js'
import type { HeadlessAgent } from './headless.js'
import { errorOf, rawRecord, rawText, usageOf } from './records.js'

const SANDBOX = { read: 'read-only', ask: 'workspace-write', edits: 'workspace-write', all: null } as const
const NO_SANDBOX = '--dangerously-bypass-approvals-and-sandbox'

/** Codex without a terminal: `codex exec --json` (0.166). */
export const codexHeadless: HeadlessAgent = {
  levels: ['read', 'edits', 'all'],
  takesModel: true,
  takesSchema: true,
  offers: ['reasoning_effort'],
  command(_, { permissions, model, effort, resume, schema }) {
    const sandbox = SANDBOX[permissions]
    // Resuming a conversation accepts no `-s`, but the equivalent setting.
    const may =
      sandbox === null
        ? [NO_SANDBOX]
        : resume !== null
          ? ['-c', `sandbox_mode=${JSON.stringify(sandbox)}`]
          : ['-s', sandbox]
    return {
      args: [
        'exec',
        ...(resume !== null ? ['resume'] : []),
        '--json',
        '--skip-git-repo-check',
        ...may,
        ...(model !== null ? ['-m', model] : []),
        ...(effort ? ['-c', `model_reasoning_effort=${JSON.stringify(effort)}`] : []),
        ...(schema ? ['--output-schema', schema.file] : []),
        ...(resume !== null ? [resume] : []),
        '-',
      ],
      env: {},
      stdin: 'prompt',
      agentSessionId: resume,
    }
  },
  parser: step => new CodexStream(step.schema !== null),
  examine: traces => examineTranscript(codexTranscript, traces),
}

const CHANGES = { add: 'create', create: 'create', update: 'update', delete: 'delete' } as const

/** The events of one turn. The last message is the answer; with a schema, the object. */
class CodexStream implements ActivityParser {
  readonly #hasSchema: boolean
  #answer = ''

  constructor(hasSchema: boolean) {
    this.#hasSchema = hasSchema
  }

  parse(part: JsonPart): ActivityBody[] {
    if (part.kind === 'text') return [rawText(part)]
    const record = part.value
    switch (record.type) {
      case 'thread.started': {
        const sessionId = textOf(record.thread_id)
        return sessionId === undefined ? [] : [{ type: 'session', sessionId }]
      }
      case 'turn.started':
        return []
      case 'item.started':
      case 'item.updated':
      case 'item.completed':
        return isRecord(record.item) ? this.#item(record.item, record.type) : [rawRecord(record)]
      case 'turn.completed':
        return this.#completed(isRecord(record.usage) ? record.usage : {})
      case 'turn.failed': {
        const text = (isRecord(record.error) ? textOf(record.error.message) : undefined) ?? 'the turn failed'
        return [errorOf(text), { type: 'result', ok: false, reason: 'turn_failed', text }]
      }
      case 'error':
        return [problem(textOf(record.message) ?? 'unknown error')]
      default:
        return [rawRecord(record)]
    }
  }

  #completed(usage: JsonRecord): ActivityBody[] {
    const structured = this.#hasSchema ? objectIn(this.#answer) : undefined
    return [
      usageOf('run', {
        input: usage.input_tokens,
        output: usage.output_tokens,
        cacheRead: usage.cached_input_tokens,
        cacheWrite: usage.cache_write_input_tokens,
        reasoning: usage.reasoning_output_tokens,
      }),
      {
        type: 'result',
        ok: true,
        reason: 'turn_completed',
        text: this.#answer,
        ...(structured !== undefined && { structured }),
      },
    ]
  }

  #item(item: JsonRecord, when: 'item.started' | 'item.updated' | 'item.completed'): ActivityBody[] {
    const isDone = when === 'item.completed'
    const callId = textOf(item.id) ?? ''
    const text = textOf(item.text) ?? ''
    switch (item.type) {
      case 'agent_message':
        if (!isDone) return []
        this.#answer = text
        return [{ type: 'text', text, delta: false, block: callId }]
      case 'reasoning':
        return isDone ? [{ type: 'thought', text, delta: false, block: callId }] : []
      case 'command_execution': {
        if (when === 'item.started')
          return [{ type: 'tool_call', callId, tool: 'shell', kind: 'shell', input: { command: item.command } }]
        if (!isDone) return []
        const exit = typeof item.exit_code === 'number' ? item.exit_code : undefined
        const output = truncateOutput(textOf(item.aggregated_output) ?? '')
        return [
          { type: 'tool_result', callId, ok: exit === 0, ...output, ...(exit !== undefined && { exitCode: exit }) },
        ]
      }
      case 'file_change':
        if (!isDone || item.status === 'failed') return []
        return partsOf(item.changes).flatMap(({ path, kind }): ActivityBody[] =>
          typeof path === 'string'
            ? [{ type: 'file_change', path, change: CHANGES[kind as keyof typeof CHANGES] ?? 'update', callId }]
            : [],
        )
      case 'mcp_tool_call':
      case 'web_search':
        return this.#tool(item, callId, when)
      case 'todo_list':
        return [
          {
            type: 'todo',
            items: partsOf(item.items).map(({ text: says, completed }) => ({
              text: String(says ?? ''),
              status: completed === true ? 'completed' : 'pending',
            })),
          },
        ]
      case 'error':
        return [problem(textOf(item.message) ?? 'unknown error')]
      default:
        return [rawRecord(item)]
    }
  }

  #tool(item: JsonRecord, callId: string, when: string): ActivityBody[] {
    const isSearch = item.type === 'web_search'
    const tool = isSearch ? 'web_search' : `${String(item.server ?? 'mcp')}.${String(item.tool ?? 'tool')}`
    if (when === 'item.started')
      return [
        {
          type: 'tool_call',
          callId,
          tool,
          kind: isSearch ? 'web' : 'other',
          input: isSearch ? { query: item.query } : item.arguments,
        },
      ]
    if (when !== 'item.completed') return []
    const result = isRecord(item.result) ? textOfParts(item.result.content) : ''
    return [{ type: 'tool_result', callId, ok: item.status !== 'failed', ...truncateOutput(result) }]
  }
}

/** "Reconnecting... 1/5 (…)" is a retry by the program itself. */
function problem(message: string): ActivityBody {
  const again = /^Reconnecting\W*(\d+)\/(\d+)/.exec(message)
  if (!again) return errorOf(message)
  return { type: 'retry', attempt: Number(again[1]), max: Number(again[2]), reason: message }
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
