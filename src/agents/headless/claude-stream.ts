import {
  type ActivityBody,
  type ActivityParser,
  type ErrorClass,
  type JsonPart,
  truncateOutput,
  type UsageActivity,
} from '../../activity/index.js'
import { partsOf, textOfParts } from '../conversation.js'
import { isRecord, type JsonRecord, numberOf, textOf } from '../json-lines.js'
import { errorOf, kindOfTool, rawRecord, rawText, usageOf } from './records.js'

/** Records about the program, not about the work. */
const IGNORED = new Set([
  'control_response',
  'control_cancel_request',
  'keep_alive',
  'rate_limit_event',
  'auth_status',
  'tool_use_summary',
  'prompt_suggestion',
])

/** Its own error codes, on the message that reports the error. */
const ERRORS: Readonly<Record<string, ErrorClass>> = {
  authentication_failed: 'auth',
  oauth_org_not_allowed: 'auth',
  billing_error: 'budget',
  rate_limit: 'rate_limit',
  overloaded: 'overloaded',
  server_error: 'overloaded',
  invalid_request: 'config',
  model_not_found: 'config',
  max_output_tokens: 'context_length',
}

/**
 * Parses the `stream-json` output of Claude Code (2.1.325), which Qwen Code (0.24) also writes.
 *
 * A model message arrives as one record for each of its blocks, preceded by deltas if requested.
 * API and login failures arrive as a `result` of subtype success with `is_error`. Background
 * sub-agents cause more than one `result`: the costs in each are cumulative, and the last one
 * counts.
 */
export class ClaudeStream implements ActivityParser {
  readonly #isOk: (result: JsonRecord) => boolean
  readonly #blocks = new Map<string, number>()
  #streaming = ''
  #hasSession = false
  #failure: ErrorClass | null = null
  /** The last request size of the main conversation, without sub-agents. */
  #lastAsked: { model: string; tokens: number } | null = null

  constructor(isOk: (result: JsonRecord) => boolean) {
    this.#isOk = isOk
  }

  parse(part: JsonPart): ActivityBody[] {
    if (part.kind === 'text') return [rawText(part)]
    const record = part.value
    const bodies = this.#read(record)
    const parent = textOf(record.parent_tool_use_id)
    return parent === undefined ? bodies : bodies.map(body => ({ ...body, parent }))
  }

  #read(record: JsonRecord): ActivityBody[] {
    switch (record.type) {
      case 'system':
        return this.#system(record)
      case 'assistant':
        return this.#message(record)
      case 'user':
        return this.#results(record)
      case 'stream_event':
        return this.#delta(isRecord(record.event) ? record.event : {})
      case 'control_request':
        return this.#request(record)
      case 'result':
        return this.#result(record)
      default:
        return IGNORED.has(String(record.type)) ? [] : [rawRecord(record)]
    }
  }

  #system(record: JsonRecord): ActivityBody[] {
    const callId = textOf(record.tool_use_id)
    switch (record.subtype) {
      case 'init': {
        const sessionId = textOf(record.session_id)
        if (this.#hasSession || sessionId === undefined) return []
        this.#hasSession = true
        const [model, cwd, version] = [
          textOf(record.model),
          textOf(record.cwd),
          textOf(record.claude_code_version ?? record.version),
        ]
        return [
          {
            type: 'session',
            sessionId,
            ...(model !== undefined && { model }),
            ...(cwd !== undefined && { cwd }),
            ...(version !== undefined && { version }),
          },
        ]
      }
      case 'api_retry': {
        const status = typeof record.error_status === 'number' ? record.error_status : undefined
        return [
          {
            type: 'retry',
            attempt: numberOf(record.attempt),
            max: numberOf(record.max_retries),
            delayMs: numberOf(record.retry_delay_ms),
            ...(status !== undefined && { status }),
            reason: textOf(record.error) ?? 'the model did not answer',
          },
        ]
      }
      case 'permission_denied':
        return [{ type: 'notice', level: 'warning', text: `not permitted: ${textOf(record.tool_name) ?? 'a tool'}` }]
      case 'compact_boundary':
        return [{ type: 'notice', level: 'info', text: 'the conversation was summarised' }]
      case 'session_state_changed':
        return record.state === 'requires_action'
          ? [{ type: 'notice', level: 'info', text: 'the agent waits for a person' }]
          : []
      case 'task_started':
      case 'task_progress':
      case 'task_updated':
      case 'task_notification': {
        const text = textOf(record.summary) ?? textOf(record.description)
        return callId === undefined || text === undefined ? [] : [{ type: 'tool_progress', callId, text }]
      }
      default:
        return []
    }
  }

  #message(record: JsonRecord): ActivityBody[] {
    const message = isRecord(record.message) ? record.message : {}
    const failure = textOf(record.error)
    // The program's own text in place of the model's; the final record repeats it.
    if (failure !== undefined) {
      this.#failure = ERRORS[failure] ?? 'unknown'
      return []
    }
    if (textOf(record.parent_tool_use_id) === undefined) this.#remember(message)
    const id = textOf(message.id) ?? ''
    return partsOf(message.content).flatMap((part): ActivityBody[] => {
      const index = this.#blocks.get(id) ?? 0
      this.#blocks.set(id, index + 1)
      const block = `${id}/${index}`
      if (part.type === 'text') return [{ type: 'text', text: String(part.text ?? ''), delta: false, block }]
      if (part.type === 'thinking') return [{ type: 'thought', text: String(part.thinking ?? ''), delta: false, block }]
      if (part.type !== 'tool_use') return []
      const tool = textOf(part.name) ?? 'unknown'
      return [{ type: 'tool_call', callId: textOf(part.id) ?? block, tool, kind: kindOfTool(tool), input: part.input }]
    })
  }

  #remember({ model, usage }: JsonRecord): void {
    if (!isRecord(usage) || typeof model !== 'string') return
    const counts = [usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens]
    this.#lastAsked = { model, tokens: counts.reduce<number>((sum, count) => sum + numberOf(count), 0) }
  }

  /** Only for a model whose context window the program reports. */
  #context(modelUsage: unknown): { used: number; window: number } | null {
    const asked = this.#lastAsked
    const known = asked && isRecord(modelUsage) ? modelUsage[asked.model] : null
    const window = isRecord(known) ? numberOf(known.contextWindow) : 0
    return asked && window > 0 ? { used: asked.tokens, window } : null
  }

  #results(record: JsonRecord): ActivityBody[] {
    const message = isRecord(record.message) ? record.message : {}
    return partsOf(message.content).flatMap((part): ActivityBody[] => {
      const callId = textOf(part.tool_use_id)
      if (part.type !== 'tool_result' || callId === undefined) return []
      const ok = part.is_error !== true
      return [{ type: 'tool_result', callId, ok, ...truncateOutput(textOfParts(part.content)) }]
    })
  }

  #delta(event: JsonRecord): ActivityBody[] {
    if (event.type === 'message_start' && isRecord(event.message)) this.#streaming = textOf(event.message.id) ?? ''
    if (event.type !== 'content_block_delta' || !isRecord(event.delta)) return []
    const block = `${this.#streaming}/${numberOf(event.index)}`
    const { type, text, thinking } = event.delta
    if (type === 'text_delta') return [{ type: 'text', text: String(text ?? ''), delta: true, block }]
    if (type === 'thinking_delta') return [{ type: 'thought', text: String(thinking ?? ''), delta: true, block }]
    return []
  }

  #request({ request_id: id, request }: JsonRecord): ActivityBody[] {
    const requestId = textOf(id)
    if (requestId === undefined || !isRecord(request) || request.subtype !== 'can_use_tool') return []
    const options = Array.isArray(request.permission_suggestions) ? request.permission_suggestions : []
    return [
      { type: 'approval', requestId, tool: textOf(request.tool_name) ?? 'unknown', input: request.input, options },
    ]
  }

  #result(record: JsonRecord): ActivityBody[] {
    const ok = this.#isOk(record)
    const problem = isRecord(record.error) ? textOf(record.error.message) : undefined
    const text = textOf(record.result) ?? problem ?? ''
    const reason = ok ? 'success' : (textOf(record.terminal_reason) ?? textOf(record.subtype) ?? 'error')
    const context = this.#context(record.modelUsage)
    const bodies: ActivityBody[] = [{ ...this.#usage(record), ...(context && { context }) }]
    if (!ok) {
      const status = typeof record.api_error_status === 'number' ? record.api_error_status : undefined
      const isSpent = record.subtype === 'error_max_budget_usd'
      const kind = isSpent ? 'budget' : this.#failure
      bodies.push(errorOf(text || reason, { status, ...(kind !== null && kind !== 'unknown' && { class: kind }) }))
    }
    const structured = record.structured_output
    bodies.push({
      type: 'result',
      ok,
      reason,
      text,
      ...(structured !== undefined && structured !== null && { structured }),
    })
    return bodies
  }

  /** The total over all models, including sub-agents; `usage` alone covers the last turn. */
  #usage(record: JsonRecord): UsageActivity {
    const models = isRecord(record.modelUsage) ? Object.values(record.modelUsage).filter(isRecord) : []
    const costUsd = record.total_cost_usd
    const sum = (key: string) => models.reduce((total, model) => total + numberOf(model[key]), 0)
    if (models.length > 0)
      return usageOf('run', {
        input: sum('inputTokens'),
        output: sum('outputTokens'),
        cacheRead: sum('cacheReadInputTokens'),
        cacheWrite: sum('cacheCreationInputTokens'),
        costUsd,
      })
    const usage = isRecord(record.usage) ? record.usage : {}
    return usageOf('run', {
      input: usage.input_tokens,
      output: usage.output_tokens,
      cacheRead: usage.cache_read_input_tokens,
      cacheWrite: usage.cache_creation_input_tokens,
      costUsd,
    })
  }
}
