import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type ActivityBody,
  type ActivityParser,
  type ErrorClass,
  type JsonPart,
  truncateOutput,
} from '../../activity/index.js'
import { clineData, clineTranscript } from '../cline-transcript.js'
import { partsOf } from '../conversation.js'
import { isRecord, type JsonRecord, numberOf, parseRecord, textOf } from '../json-lines.js'
import { namesIn, writtenSince } from '../transcript-files.js'
import { examineTranscript } from './examine.js'
import type { Findings, HeadlessAgent, StepTraces } from './headless.js'
import { errorOf, kindOfTool, rawRecord, rawText, usageOf } from './records.js'

/** Without an argument it does not read its input; a single word would be taken as a command. */
const ARGUMENT = 'Do what the input says.'

/**
 * Cline without a terminal: `cline --json` (3.0). Its input must be a file: a pipe or a socket is
 * ignored. The stream does not contain the session id; it is found by the process id in the
 * session's file.
 */
export const clineHeadless: HeadlessAgent = {
  levels: ['read', 'all'],
  takesModel: true,
  takesSchema: false,
  command(_, { permissions, model, resume }) {
    return {
      args: [
        '--json',
        ...(permissions === 'read' ? ['--plan', '--auto-approve', 'false'] : ['--auto-approve', 'true']),
        ...(model !== null ? modelOf(model) : []),
        ...(resume !== null ? ['--id', resume] : []),
        ARGUMENT,
      ],
      env: {},
      stdin: 'prompt',
      agentSessionId: resume,
    }
  },
  parser: () => new ClineStream(),
  examine: examineCline,
}

/** `provider:model` names both, a plain name the model alone. */
function modelOf(model: string): string[] {
  const at = model.indexOf(':')
  return at > 0 ? ['-P', model.slice(0, at), '-m', model.slice(at + 1)] : ['-m', model]
}

const ERRORS: Readonly<Record<string, ErrorClass>> = {
  auth: 'auth',
  rate_limit: 'rate_limit',
  context: 'context_length',
  network: 'network',
}

/** Parses the events of version 3, and the indented `say` and `ask` records of earlier versions. */
class ClineStream implements ActivityParser {
  #answer = ''
  #error: { text: string; kind: ErrorClass | undefined } | null = null
  #isPromptSeen = false
  #block = 0
  #call: string | null = null
  #calls = 0

  parse(part: JsonPart): ActivityBody[] {
    if (part.kind === 'text') return [rawText(part)]
    const record = part.value
    switch (record.type) {
      case 'agent_event':
        return this.#event(isRecord(record.event) ? record.event : {})
      case 'run_result':
        return this.#result(record)
      case 'hook_event':
        return []
      case 'error':
        return this.#problem(record)
      case 'say':
        return this.#readSay(record)
      case 'ask':
        return this.#ask(record)
      default:
        return [rawRecord(record)]
    }
  }

  /** Its errors are on standard error, among warnings of its libraries. */
  parseError(part: JsonPart): ActivityBody[] {
    if (part.kind === 'text') return [rawText(part, 'stderr')]
    return part.value.type === 'error' ? this.#problem(part.value) : [rawRecord(part.value)]
  }

  #problem(record: JsonRecord): ActivityBody[] {
    const text = textOf(record.message) ?? 'unknown error'
    // The same text arrived earlier as an event, with its class.
    return this.#error?.text === text ? [] : [errorOf(text)]
  }

  #event(event: JsonRecord): ActivityBody[] {
    const isTool = event.contentType === 'tool'
    const type = event.contentType === 'reasoning' ? 'thought' : 'text'
    const callId = textOf(event.toolCallId) ?? ''
    const block = `block_${this.#block}`
    switch (event.type) {
      case 'content_start': {
        if (!isTool) return [{ type, text: String(event.text ?? ''), delta: true, block }]
        const tool = textOf(event.toolName) ?? 'unknown'
        return [{ type: 'tool_call', callId, tool, kind: kindOfTool(tool), input: event.input }]
      }
      case 'content_update': {
        const text = isRecord(event.update) ? textOf(event.update.chunk) : undefined
        return !isTool || text === undefined ? [] : [{ type: 'tool_progress', callId, text }]
      }
      case 'content_end': {
        if (isTool) return [toolResult(callId, event)]
        this.#block++
        const text = String(event.text ?? '')
        if (type === 'text') this.#answer = text
        return [{ type, text, delta: false, block }]
      }
      case 'usage':
        return [
          usageOf('turn', {
            input: event.inputTokens,
            output: event.outputTokens,
            cacheRead: event.cacheReadTokens,
            cacheWrite: event.cacheWriteTokens,
            costUsd: event.cost,
          }),
        ]
      case 'error': {
        const text = (isRecord(event.error) ? textOf(event.error.message) : undefined) ?? 'unknown error'
        const kind = ERRORS[String(event.errorClass)]
        this.#error = { text, kind }
        return [errorOf(text, { ...(kind && { class: kind }) })]
      }
      case 'iteration_start':
      case 'iteration_end':
      case 'done':
        return []
      default:
        return [rawRecord(event)]
    }
  }

  #result(record: JsonRecord): ActivityBody[] {
    const usage = isRecord(record.aggregateUsage) ? record.aggregateUsage : isRecord(record.usage) ? record.usage : {}
    const reason = textOf(record.finishReason) ?? 'unknown'
    return [
      usageOf('run', {
        input: usage.inputTokens,
        output: usage.outputTokens,
        cacheRead: usage.cacheReadTokens,
        cacheWrite: usage.cacheWriteTokens,
        costUsd: usage.totalCost,
      }),
      { type: 'result', ok: reason === 'completed', reason, text: textOf(record.text) ?? this.#answer },
    ]
  }

  #readSay(record: JsonRecord): ActivityBody[] {
    const text = String(record.text ?? '')
    const delta = record.partial === true
    const block = `say_${numberOf(record.ts)}`
    switch (record.say) {
      case 'text':
        // Its first message repeats our prompt.
        if (!this.#isPromptSeen) {
          this.#isPromptSeen = true
          return []
        }
        return text === '' ? [] : [{ type: 'text', text, delta, block }]
      case 'reasoning':
        return [{ type: 'thought', text, delta, block }]
      case 'command':
      case 'tool': {
        const input = parseRecord(text) ?? { command: text }
        this.#call = `call_${++this.#calls}`
        const tool = record.say === 'command' ? 'command' : (textOf(input.tool) ?? 'tool')
        const kind = record.say === 'command' ? 'shell' : kindOfTool(tool)
        // Nothing reports the end of a call: the next record implies it.
        return [{ type: 'tool_call', callId: this.#call, tool, kind, input }, ...this.#endCall('')]
      }
      case 'command_output':
        return [{ type: 'tool_progress', callId: `call_${this.#calls}`, text }]
      case 'api_req_started':
        return this.#request(parseRecord(text) ?? {})
      case 'completion_result':
        this.#answer = text
        return delta ? [] : [{ type: 'result', ok: true, reason: 'completion_result', text }]
      case 'error':
        return [errorOf(text)]
      default:
        return []
    }
  }

  #endCall(output: string): ActivityBody[] {
    const callId = this.#call
    this.#call = null
    return callId === null ? [] : [{ type: 'tool_result', callId, ok: true, ...truncateOutput(output) }]
  }

  /** Its `request` repeats our prompt; only the counts are new, when the request has ended. */
  #request(request: JsonRecord): ActivityBody[] {
    if (typeof request.tokensIn !== 'number') return []
    return [
      usageOf('turn', {
        input: request.tokensIn,
        output: request.tokensOut,
        cacheRead: request.cacheReads,
        cacheWrite: request.cacheWrites,
        costUsd: request.cost,
      }),
    ]
  }

  #ask(record: JsonRecord): ActivityBody[] {
    const text = String(record.text ?? '')
    if (record.partial === true) return []
    const block = `ask_${numberOf(record.ts)}`
    const body = parseRecord(text)
    if (record.ask === 'plan_mode_respond')
      return [{ type: 'text', text: textOf(body?.response) ?? text, delta: false, block }]
    if (record.ask === 'followup')
      return [
        {
          type: 'question',
          questionId: block,
          text: textOf(body?.question) ?? text,
          options: Array.isArray(body?.options) ? body.options : [],
        },
      ]
    if (record.ask === 'completion_result') return []
    return [
      { type: 'approval', requestId: block, tool: String(record.ask ?? 'unknown'), input: body ?? text, options: [] },
    ]
  }
}

/** A call may contain several commands: it succeeded if each did. */
function toolResult(callId: string, event: JsonRecord): ActivityBody {
  const outputs = partsOf(event.output)
  const ok = event.error === undefined && outputs.every(({ success }) => success !== false)
  const text =
    typeof event.output === 'string' ? event.output : outputs.map(({ result }) => String(result ?? '')).join('\n')
  return { type: 'tool_result', callId, ok, ...truncateOutput(text) }
}

/** Cline's traces: a session of version 3 by its process id, else a task of earlier ones. */
async function examineCline(traces: StepTraces): Promise<Findings> {
  const sessionId = traces.sessionId ?? (await sessionOf(traces))
  if (sessionId !== null) return examineTranscript(clineTranscript, { ...traces, sessionId }, { isTurnOver })
  return (await examineTask(traces)) ?? examineTranscript(clineTranscript, traces, { isTurnOver })
}

/** The state next to the messages: `completed`, or `idle` when a person could continue. */
async function isTurnOver(file: string): Promise<boolean> {
  const state = parseRecord(await readFile(file.replace(/\.messages\.json$/, '.json'), 'utf8').catch(() => ''))
  return state?.status === 'completed' || state?.status === 'idle'
}

async function sessionOf({ env, cwd, pid, startedAt }: StepTraces): Promise<string | null> {
  const sessions = join(clineData(env), 'sessions')
  const names = await namesIn(sessions)
  const files = await writtenSince(
    names.map(name => join(sessions, name, `${name}.json`)),
    startedAt,
  )
  for (const file of files) {
    const state = parseRecord(await readFile(file, 'utf8').catch(() => ''))
    if (!state) continue
    const id = textOf(state.session_id) ?? textOf(state.id)
    const isHere = [state.cwd, state.workspace_root].includes(cwd)
    if (id !== undefined && (state.pid === pid || (pid === null && isHere))) return id
  }
  return null
}

/** `tasks/<id>/ui_messages.json`: a list of `say` and `ask` records. */
async function examineTask({ env, startedAt, sessionId }: StepTraces): Promise<Findings | null> {
  const tasks = join(clineData(env), 'tasks')
  const files = (await namesIn(tasks)).map(name => join(tasks, name, 'ui_messages.json'))
  const [file] = await writtenSince(files, startedAt)
  if (file === undefined) return null
  const found = { isComplete: false, hasWork: false, text: null, sessionId }
  let messages: unknown
  try {
    messages = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    const says = `could not be read: ${(error as Error).message}`
    return { ...found, evidence: [{ source: 'transcript', locator: file, says }] }
  }
  const records = (Array.isArray(messages) ? messages : []).filter(isRecord)
  const end = records.findLast(({ say, partial }) => say === 'completion_result' && partial !== true)
  const last = records.findLast(({ say, partial }, index) => index > 0 && say === 'text' && partial !== true)
  const says = end ? 'the task ends with a completion' : 'the task has no completion'
  return {
    isComplete: end !== undefined,
    hasWork: records.length > 1,
    text: textOf(end?.text) ?? textOf(last?.text) ?? null,
    sessionId,
    evidence: [{ source: 'transcript', locator: file, says }],
  }
}
