import { join } from 'node:path'
import type { AgentTranscript, TranscriptLookup } from './adapter.js'
import { partsOf, type TimedStatement, TranscriptFileReader, type TranscriptParser } from './conversation.js'
import { movableDirectory } from './home-directory.js'
import { isRecord, type JsonRecord, numberOf, textOf, timeOf } from './json-lines.js'
import { namesIn, writtenSince } from './transcript-files.js'

/** The whole system prompt, at the start of every turn. */
const SYSTEM_MESSAGE = Buffer.from('{"type":"system.message"')

/** `~/.copilot/session-state/<session>/events.jsonl`; only the file names its directory. */
export const copilotTranscript: AgentTranscript = {
  form: 'lines',
  locate,
  open: path =>
    new TranscriptFileReader(path, new CopilotConversation(path), {
      isWanted: line => !line.subarray(0, SYSTEM_MESSAGE.length).equals(SYSTEM_MESSAGE),
    }),
}

async function locate({ env, agentSessionId, startedAt }: TranscriptLookup): Promise<string[]> {
  const sessions = join(movableDirectory(env, 'COPILOT_HOME', '.copilot'), 'session-state')
  if (agentSessionId !== null) return writtenSince([join(sessions, agentSessionId, 'events.jsonl')], 0)
  const files = (await namesIn(sessions)).map(name => join(sessions, name, 'events.jsonl'))
  return writtenSince(files, startedAt)
}

/**
 * Parses the events that Copilot writes about a session (1.0.102).
 *
 * Its `assistant.turn_end` ends one exchange with the model, not the person's turn: the turn
 * continues if the last message asked for tools. `abort` follows the `turn_end` of an interrupted
 * turn, so the end of a turn without an answer waits for the next event. Permission requests are
 * recorded when asked and when answered, which no other agent does.
 */
export class CopilotConversation implements TranscriptParser {
  readonly #path: string
  readonly #seen = new Set<string>()
  readonly #tools = new Map<string, { tool: string; input: unknown }>()
  readonly #asked = new Map<string, string>()
  readonly #denied = new Set<string>()
  /** The result of the current exchange: an answer, tool calls, or nothing yet. */
  #exchange: 'nothing' | 'answer' | 'calls' = 'nothing'

  constructor(path: string) {
    this.#path = path
  }

  parseRecord(record: JsonRecord): TimedStatement[] | null {
    const { id, type } = record
    if (typeof id !== 'string' || typeof type !== 'string') return null
    if (this.#seen.has(id)) return []
    this.#seen.add(id)
    const data = isRecord(record.data) ? record.data : {}
    const subAgent = textOf(record.agentId)
    const statements = this.#read(type, data, { id, at: timeOf(record.timestamp) })
    return subAgent === undefined ? statements : statements.map(statement => ({ ...statement, subAgent }))
  }

  #read(type: string, data: JsonRecord, { id, at }: { id: string; at: number | null }): TimedStatement[] {
    switch (type) {
      case 'session.start':
      case 'session.resume':
        return this.#session(data, at)
      case 'user.message': {
        const text = textOf(data.content)
        const prompt = textOf(data.interactionId)
        return text === undefined ? [] : [{ kind: 'prompt', text, ...(prompt !== undefined && { prompt }), at }]
      }
      case 'assistant.turn_start':
        this.#exchange = 'nothing'
        return [{ kind: 'working', at }]
      case 'assistant.message':
        return this.#message(data, id, at)
      case 'tool.execution_start':
        return this.#start(data, at)
      case 'tool.execution_complete':
        return this.#complete(data, at)
      case 'permission.requested':
        return this.#request(data, at)
      case 'permission.completed':
        return this.#answered(data, at)
      case 'session.usage_record': {
        const usage = isRecord(data.usage) ? data.usage : {}
        return [{ kind: 'usage', input: numberOf(usage.inputTokens), output: numberOf(usage.outputTokens), at }]
      }
      case 'assistant.turn_end':
        return this.#exchange === 'answer' ? [{ kind: 'turn-ended', outcome: 'done', at }] : []
      case 'abort':
        return [...this.#abandon(at), { kind: 'turn-ended', outcome: 'interrupted', at }]
      case 'session.error':
        return [{ kind: 'turn-ended', outcome: 'failed', text: textOf(data.message) ?? 'unknown error', at }]
      case 'session.shutdown':
        return [{ kind: 'ended', reason: textOf(data.shutdownType) ?? 'shutdown', at }]
      default:
        // The list of event types is long and grows; those that do not concern the conversation are
        // ignored.
        return []
    }
  }

  #session(data: JsonRecord, at: number | null): TimedStatement[] {
    const agentSession = textOf(data.sessionId)
    if (agentSession === undefined) return []
    const version = textOf(data.copilotVersion)
    const model = textOf(data.selectedModel)
    const cwd = isRecord(data.context) ? textOf(data.context.cwd) : undefined
    return [
      {
        kind: 'session',
        agentSession,
        transcript: this.#path,
        ...(version !== undefined && { version }),
        ...(model !== undefined && { model }),
        ...(cwd !== undefined && { cwd }),
        at,
      },
    ]
  }

  #message(data: JsonRecord, id: string, at: number | null): TimedStatement[] {
    this.#exchange = partsOf(data.toolRequests).length > 0 ? 'calls' : 'answer'
    const markdown = textOf(data.content)
    return markdown === undefined || markdown.trim() === '' ? [] : [{ kind: 'said', id, markdown, at }]
  }

  #start(data: JsonRecord, at: number | null): TimedStatement[] {
    const key = textOf(data.toolCallId)
    const tool = { tool: textOf(data.toolName) ?? 'unknown', input: data.arguments }
    if (key !== undefined) this.#tools.set(key, tool)
    return [{ kind: 'tool', state: 'started', key: key ?? null, ...tool, at }]
  }

  #complete(data: JsonRecord, at: number | null): TimedStatement[] {
    const key = textOf(data.toolCallId) ?? null
    const tool = this.#takeTool(key)
    const output = isRecord(data.result) ? textOf(data.result.content) : undefined
    const failure = isRecord(data.error) ? textOf(data.error.message) : undefined
    const state = data.success === true ? 'done' : key !== null && this.#denied.has(key) ? 'denied' : 'failed'
    const text = output ?? failure
    return [{ kind: 'tool', state, key, ...tool, ...(text !== undefined && { output: text }), at }]
  }

  #request(data: JsonRecord, at: number | null): TimedStatement[] {
    const request = isRecord(data.permissionRequest) ? data.permissionRequest : {}
    const key = textOf(data.requestId) ?? null
    const call = textOf(request.toolCallId)
    if (key !== null && call !== undefined) this.#asked.set(key, call)
    const known = call === undefined ? undefined : this.#tools.get(call)
    return [{ kind: 'request', key, ...(known ?? { tool: textOf(request.kind) ?? 'unknown', input: request }), at }]
  }

  #answered(data: JsonRecord, at: number | null): TimedStatement[] {
    const key = textOf(data.requestId)
    if (key === undefined) return []
    const kind = isRecord(data.result) ? textOf(data.result.kind) : undefined
    const isAllowed = kind?.startsWith('approved') === true
    const call = this.#asked.get(key) ?? textOf(data.toolCallId)
    this.#asked.delete(key)
    if (!isAllowed && call !== undefined) this.#denied.add(call)
    return [{ kind: 'answered', key, result: isAllowed ? 'allowed' : 'denied', at }]
  }

  /** Ends the calls that ran when the turn was interrupted: nothing more is recorded of them. */
  #abandon(at: number | null): TimedStatement[] {
    const open = [...this.#tools.keys()]
    return open.map(key => ({
      kind: 'tool',
      state: this.#denied.has(key) ? 'denied' : 'failed',
      key,
      ...this.#takeTool(key),
      at,
    }))
  }

  #takeTool(key: string | null): { tool: string; input: unknown } {
    const tool = key === null ? undefined : this.#tools.get(key)
    if (key !== null) this.#tools.delete(key)
    return tool ?? { tool: 'unknown', input: undefined }
  }
}
