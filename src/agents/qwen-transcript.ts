import { isAbsolute, join } from 'node:path'
import type { AgentTranscript, TranscriptLookup } from './adapter.js'
import {
  partsOf,
  type TimedStatement,
  TranscriptFileReader,
  type TranscriptParser,
  textOfParts,
} from './conversation.js'
import { movableDirectory } from './home-directory.js'
import { isRecord, type JsonRecord, numberOf, textOf, timeOf } from './json-lines.js'
import { namesIn, pathsIn, writtenSince } from './transcript-files.js'

/** `~/.qwen/projects/<directory, dashed>/chats/<session>.jsonl`. */
export const qwenTranscript: AgentTranscript = {
  form: 'lines',
  locate,
  open: path => new TranscriptFileReader(path, new QwenConversation(path)),
}

async function locate({ env, cwd, agentSessionId, startedAt }: TranscriptLookup): Promise<string[]> {
  const moved = env.QWEN_RUNTIME_DIR
  const home = moved !== undefined && isAbsolute(moved) ? moved : movableDirectory(env, 'QWEN_HOME', '.qwen')
  const projects = join(home, 'projects')
  if (agentSessionId !== null) {
    const files = (await namesIn(projects)).map(name => join(projects, name, 'chats', `${agentSessionId}.jsonl`))
    return writtenSince(files, 0)
  }
  const here = join(projects, cwd.replace(/[^a-zA-Z0-9]/g, '-'), 'chats')
  return writtenSince(await pathsIn(here, name => name.endsWith('.jsonl')), startedAt)
}

/**
 * Parses the records of a Qwen Code transcript (0.24): prompts, model answers with their calls,
 * tool results, and notes of the program.
 *
 * A turn ends with an answer without calls. An interrupted one is recorded the same way, but
 * without a token count; one that ended with a denied tool has only the denied call.
 */
export class QwenConversation implements TranscriptParser {
  readonly #path: string
  readonly #seen = new Set<string>()
  readonly #tools = new Map<string, { tool: string; input: unknown }>()
  #isAnnounced = false

  constructor(path: string) {
    this.#path = path
  }

  parseRecord(record: JsonRecord): TimedStatement[] | null {
    const { uuid, type } = record
    if (typeof uuid !== 'string' || typeof type !== 'string') return null
    if (this.#seen.has(uuid)) return []
    this.#seen.add(uuid)
    const at = timeOf(record.timestamp)
    const statements = this.#read(record, { uuid, type, at })
    return statements === null ? null : [...this.#announce(record, at), ...statements]
  }

  #announce(record: JsonRecord, at: number | null): TimedStatement[] {
    const agentSession = textOf(record.sessionId)
    if (this.#isAnnounced || agentSession === undefined) return []
    this.#isAnnounced = true
    const version = textOf(record.version)
    const cwd = textOf(record.cwd)
    return [
      {
        kind: 'session',
        agentSession,
        transcript: this.#path,
        ...(version !== undefined && { version }),
        ...(cwd !== undefined && { cwd }),
        at,
      },
    ]
  }

  #read(record: JsonRecord, about: { uuid: string; type: string; at: number | null }): TimedStatement[] | null {
    const parts = partsOf(isRecord(record.message) ? record.message.parts : undefined)
    const { at } = about
    switch (about.type) {
      case 'user': {
        const text = textOfParts(parts)
        const isTyped = record.provenance === undefined || record.provenance === 'real_user'
        return text === '' || !isTyped ? [] : [{ kind: 'prompt', text, prompt: about.uuid, at }]
      }
      case 'assistant':
        return this.#model(record, parts, about)
      case 'tool_result':
        return parts.flatMap(part => this.#result(part, record, at))
      case 'system':
        return []
      default:
        return null
    }
  }

  #model(record: JsonRecord, parts: JsonRecord[], { uuid, at }: { uuid: string; at: number | null }): TimedStatement[] {
    const statements: TimedStatement[] = []
    const markdown = textOfParts(parts, part => part.thought !== true)
    if (markdown.trim() !== '') statements.push({ kind: 'said', id: uuid, markdown, at })
    const calls = parts.flatMap(part => (isRecord(part.functionCall) ? [part.functionCall] : []))
    for (const call of calls) {
      const key = textOf(call.id) ?? null
      const tool = { tool: textOf(call.name) ?? 'unknown', input: call.args }
      if (key !== null) this.#tools.set(key, tool)
      statements.push({ kind: 'tool', state: 'started', key, ...tool, at })
    }
    const usage = isRecord(record.usageMetadata) ? record.usageMetadata : null
    if (usage) {
      const output = numberOf(usage.candidatesTokenCount) + numberOf(usage.thoughtsTokenCount)
      statements.push({ kind: 'usage', input: numberOf(usage.promptTokenCount), output, at })
    }
    if (calls.length === 0) statements.push({ kind: 'turn-ended', outcome: usage ? 'done' : 'interrupted', at })
    return statements
  }

  #result(part: JsonRecord, record: JsonRecord, at: number | null): TimedStatement[] {
    const answer = isRecord(part.functionResponse) ? part.functionResponse : null
    if (!answer) return []
    const key = textOf(answer.id) ?? null
    const tool = (key !== null && this.#tools.get(key)) || { tool: textOf(answer.name) ?? 'unknown', input: undefined }
    const result = isRecord(record.toolCallResult) ? record.toolCallResult : {}
    const response = isRecord(answer.response) ? answer.response : {}
    const output = textOf(response.output) ?? textOf(response.error)
    const state = stateOf(result)
    const statements: TimedStatement[] = [
      { kind: 'tool', state, key, ...tool, ...(output !== undefined && { output }), at },
    ]
    // Denying a tool ends the turn: nothing goes back to the model.
    if (state === 'denied') statements.push({ kind: 'turn-ended', outcome: 'interrupted', at })
    return statements
  }
}

function stateOf({ status, executionStatus }: JsonRecord): 'done' | 'failed' | 'denied' {
  if (status === 'cancelled' && executionStatus === 'not_started') return 'denied'
  return status === 'success' ? 'done' : 'failed'
}
