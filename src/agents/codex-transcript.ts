import { join } from 'node:path'
import type { AgentTranscript, TranscriptLookup } from './adapter.js'
import {
  partsOf,
  type TimedStatement,
  TranscriptFileReader,
  type TranscriptParser,
  textOfParts,
} from './conversation.js'
import { movableDirectory } from './home-directory.js'
import { isRecord, type JsonRecord, numberOf, parseRecord, textOf, timeOf } from './json-lines.js'
import { namesIn, pathsIn, writtenSince } from './transcript-files.js'

const DAY_MS = 24 * 60 * 60 * 1000

/** `~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`, by the day of its start. */
export const codexTranscript: AgentTranscript = {
  form: 'lines',
  locate,
  open: path => new TranscriptFileReader(path, new CodexConversation(path)),
}

async function locate({ env, agentSessionId, startedAt }: TranscriptLookup): Promise<string[]> {
  const sessions = join(movableDirectory(env, 'CODEX_HOME', '.codex'), 'sessions')
  if (agentSessionId !== null) {
    const end = `-${agentSessionId}.jsonl`
    for (const day of await days(sessions, 0)) {
      const found = await pathsIn(day, name => name.endsWith(end))
      if (found.length > 0) return found
    }
    return []
  }
  // Folders use the local date; searching one more day costs nothing.
  const found: string[] = []
  for (const day of await days(sessions, startedAt - 2 * DAY_MS))
    found.push(...(await pathsIn(day, name => name.startsWith('rollout-') && name.endsWith('.jsonl'))))
  return writtenSince(found, startedAt)
}

async function days(sessions: string, since: number): Promise<string[]> {
  const found: string[] = []
  for (const year of newestFirst(await namesIn(sessions))) {
    for (const month of newestFirst(await namesIn(join(sessions, year)))) {
      for (const day of newestFirst(await namesIn(join(sessions, year, month))))
        if (Date.parse(`${year}-${month}-${day}T00:00:00Z`) >= since) found.push(join(sessions, year, month, day))
    }
  }
  return found
}

function newestFirst(names: readonly string[]): string[] {
  return names.filter(name => /^\d+$/.test(name)).reverse()
}

/**
 * Parses the records of a Codex rollout file, in order.
 *
 * Most things are recorded twice: as the model's own item (`response_item`) and as an event for the
 * screen (`event_msg`). The items provide texts and calls; the events provide prompts (the items
 * also contain notes by the program), the results of commands, and the ends of turns. A denied
 * command and one that was stopped leave the same result, "aborted by user": it is reported as
 * failed, because the record does not say that it never ran.
 */
export class CodexConversation implements TranscriptParser {
  readonly #path: string
  readonly #said = new Set<string>()
  readonly #calls = new Map<string, { tool: string; input: unknown }>()
  #subAgent: string | null = null
  #session: string | null = null
  #tokens = 0
  #failure: string | null = null

  constructor(path: string) {
    this.#path = path
  }

  parseRecord({ type, timestamp, payload }: JsonRecord): TimedStatement[] | null {
    if (typeof type !== 'string' || !isRecord(payload)) return null
    const at = timeOf(timestamp)
    const statements =
      type === 'session_meta'
        ? this.#begin(payload, at)
        : type === 'event_msg'
          ? this.#event(payload, at)
          : type === 'response_item'
            ? this.#item(payload, at)
            : []
    const subAgent = this.#subAgent
    return subAgent === null ? statements : statements.map(statement => ({ ...statement, subAgent }))
  }

  /** A continued conversation begins with its own record, and may also contain the other's. */
  #begin({ id, cwd, cli_version: version, source }: JsonRecord, at: number | null): TimedStatement[] {
    if (typeof id !== 'string' || this.#session !== null) return []
    this.#session = id
    // A name if a person started it; an object that names the parent for sub-agents.
    if (isRecord(source)) this.#subAgent = id
    return [
      {
        kind: 'session',
        agentSession: id,
        transcript: this.#path,
        ...(typeof cwd === 'string' && { cwd }),
        ...(typeof version === 'string' && { version }),
        at,
      },
    ]
  }

  #event(event: JsonRecord, at: number | null): TimedStatement[] {
    const turn = textOf(event.turn_id)
    switch (event.type) {
      case 'task_started':
        this.#failure = null
        return this.#isNew(`start ${turn ?? at}`) ? [{ kind: 'working', at }] : []
      case 'user_message':
        return this.#prompt(`prompt ${at}`, textOf(event.message), turn, at)
      case 'item_completed':
        return isRecord(event.item) ? this.#finished(event.item, turn, at) : []
      case 'token_count':
        return this.#count(event, at)
      case 'error':
        this.#failure = textOf(event.message) ?? 'the turn failed'
        return []
      case 'task_complete':
        return this.#endTurn(event, at)
      case 'turn_aborted':
        return this.#isNew(`end ${turn ?? at}`) ? [{ kind: 'turn-ended', outcome: 'interrupted', at }] : []
      default:
        return []
    }
  }

  #finished(item: JsonRecord, turn: string | undefined, at: number | null): TimedStatement[] {
    if (item.type === 'UserMessage')
      return this.#prompt(`prompt ${String(item.id)}`, textOfParts(item.content), turn, at)
    // Commands and edits carry the id of the call that caused them.
    if (typeof item.status !== 'string' || typeof item.id !== 'string' || !this.#calls.has(item.id)) return []
    const state = item.status === 'completed' ? 'done' : item.status === 'declined' ? 'denied' : 'failed'
    return this.#endCall(item.id, state, textOf(item.aggregated_output), at)
  }

  #item(item: JsonRecord, at: number | null): TimedStatement[] {
    switch (item.type) {
      case 'message':
        return item.role === 'assistant' ? this.#readMessage(item, at) : []
      case 'function_call':
        return this.#startCall(item, parseRecord(String(item.arguments)) ?? item.arguments, at)
      case 'custom_tool_call':
        return this.#startCall(item, item.input, at)
      case 'local_shell_call':
        return this.#startCall({ ...item, name: 'shell' }, item.action, at)
      case 'function_call_output':
      case 'custom_tool_call_output': {
        const output = isRecord(item.output) ? textOfParts(item.output.content) : textOfParts(item.output)
        const isStopped = output.endsWith('aborted by user') || (isRecord(item.output) && item.output.success === false)
        return this.#endCall(String(item.call_id), isStopped ? 'failed' : 'done', textOf(output), at)
      }
      default:
        return []
    }
  }

  #readMessage(item: JsonRecord, at: number | null): TimedStatement[] {
    const markdown = textOfParts(partsOf(item.content).filter(part => part.type === 'output_text'))
    const id = textOf(item.id) ?? `${at}`
    return markdown !== '' && this.#isNew(`said ${id}`) ? [{ kind: 'said', id, markdown, at }] : []
  }

  #prompt(key: string, text: string | undefined, turn: string | undefined, at: number | null): TimedStatement[] {
    if (text === undefined || text === '' || !this.#isNew(key)) return []
    return [{ kind: 'prompt', text, ...(turn !== undefined && { prompt: turn }), at }]
  }

  #startCall(item: JsonRecord, input: unknown, at: number | null): TimedStatement[] {
    const key = textOf(item.call_id)
    if (key === undefined || !this.#isNew(`call ${key}`)) return []
    const call = { tool: textOf(item.name) ?? 'unknown', input }
    this.#calls.set(key, call)
    return [{ kind: 'tool', state: 'started', key, ...call, at }]
  }

  /**
   * The first end counts: the event of a command comes before the result that the model receives.
   */
  #endCall(
    key: string,
    state: 'done' | 'failed' | 'denied',
    output: string | undefined,
    at: number | null,
  ): TimedStatement[] {
    const call = this.#calls.get(key)
    if (!call) return []
    this.#calls.delete(key)
    return [{ kind: 'tool', state, key, ...call, ...(output !== undefined && { output }), at }]
  }

  #endTurn({ turn_id: turn, last_agent_message: last, error }: JsonRecord, at: number | null): TimedStatement[] {
    const failure = isRecord(error) ? (textOf(error.message) ?? 'the turn failed') : this.#failure
    this.#failure = null
    if (!this.#isNew(`end ${textOf(turn) ?? at}`)) return []
    const text = textOf(last)
    if (failure !== null && text === undefined) return [{ kind: 'turn-ended', outcome: 'failed', text: failure, at }]
    return [{ kind: 'turn-ended', outcome: 'done', ...(text !== undefined && { text }), at }]
  }

  /** The same count is repeated when only the rate limits of the account have changed. */
  #count({ info }: JsonRecord, at: number | null): TimedStatement[] {
    const { total_token_usage: total, last_token_usage: last, model_context_window: size } = isRecord(info) ? info : {}
    const tokens = isRecord(total) ? numberOf(total.total_tokens) : 0
    if (tokens <= this.#tokens || !isRecord(last)) return []
    this.#tokens = tokens
    const contextWindow = numberOf(size)
    return [
      {
        kind: 'usage',
        input: numberOf(last.input_tokens),
        output: numberOf(last.output_tokens),
        ...(contextWindow > 0 && { contextWindow }),
        at,
      },
    ]
  }

  #isNew(key: string): boolean {
    if (this.#said.has(key)) return false
    this.#said.add(key)
    return true
  }
}
