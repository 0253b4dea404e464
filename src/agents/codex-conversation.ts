import { type Conversation, partsOf, type TimedStatement, textOfParts } from './conversation.js'
import { isRecord, type JsonRecord, numberOf, parseRecord, textOf, timeOf } from './json-lines.js'

/**
 * Reads the records of one of Codex's rollout files, in their order.
 *
 * Most things stand there twice: as the model's own item (`response_item`) and as an event for the screen (`event_msg`). The model's items
 * give texts and calls; events give the person's prompts (among the items there are also notes by the program), how commands ended, and
 * the ends of turns. A command that was refused and one that was stopped while it ran leave the same result, "aborted by user": it is told
 * as failed, because that it never ran is not known from here.
 */
export class CodexConversation implements Conversation {
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

  take({ type, timestamp, payload }: JsonRecord): TimedStatement[] | null {
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

  /** A conversation that goes on from another begins with its own record, and may hold the other's as well. */
  #begin({ id, cwd, cli_version: version, source }: JsonRecord, at: number | null): TimedStatement[] {
    if (typeof id !== 'string' || this.#session !== null) return []
    this.#session = id
    // A name for those that people start; helpers have an object that says whose they are.
    if (isRecord(source)) this.#subAgent = id
    return [
      {
        is: 'session',
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
        return this.#isNew(`start ${turn ?? at}`) ? [{ is: 'working', at }] : []
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
        return this.#isNew(`end ${turn ?? at}`) ? [{ is: 'turn-ended', outcome: 'interrupted', at }] : []
      default:
        return []
    }
  }

  #finished(item: JsonRecord, turn: string | undefined, at: number | null): TimedStatement[] {
    if (item.type === 'UserMessage')
      return this.#prompt(`prompt ${String(item.id)}`, textOfParts(item.content), turn, at)
    // Commands and edits carry the id of the call that they came from.
    if (typeof item.status !== 'string' || typeof item.id !== 'string' || !this.#calls.has(item.id)) return []
    const state = item.status === 'completed' ? 'done' : item.status === 'declined' ? 'denied' : 'failed'
    return this.#endCall(item.id, state, textOf(item.aggregated_output), at)
  }

  #item(item: JsonRecord, at: number | null): TimedStatement[] {
    switch (item.type) {
      case 'message':
        return item.role === 'assistant' ? this.#say(item, at) : []
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

  #say(item: JsonRecord, at: number | null): TimedStatement[] {
    const markdown = textOfParts(partsOf(item.content).filter(part => part.type === 'output_text'))
    const id = textOf(item.id) ?? `${at}`
    return markdown !== '' && this.#isNew(`said ${id}`) ? [{ is: 'said', id, markdown, at }] : []
  }

  #prompt(key: string, text: string | undefined, turn: string | undefined, at: number | null): TimedStatement[] {
    if (text === undefined || text === '' || !this.#isNew(key)) return []
    return [{ is: 'prompt', text, ...(turn !== undefined && { prompt: turn }), at }]
  }

  #startCall(item: JsonRecord, input: unknown, at: number | null): TimedStatement[] {
    const key = textOf(item.call_id)
    if (key === undefined || !this.#isNew(`call ${key}`)) return []
    const call = { tool: textOf(item.name) ?? 'unknown', input }
    this.#calls.set(key, call)
    return [{ is: 'tool', state: 'started', key, ...call, at }]
  }

  /** The first end that is told counts: the event of a command comes before what the model gets to hear of it. */
  #endCall(
    key: string,
    state: 'done' | 'failed' | 'denied',
    output: string | undefined,
    at: number | null,
  ): TimedStatement[] {
    const call = this.#calls.get(key)
    if (!call) return []
    this.#calls.delete(key)
    return [{ is: 'tool', state, key, ...call, ...(output !== undefined && { output }), at }]
  }

  #endTurn({ turn_id: turn, last_agent_message: last, error }: JsonRecord, at: number | null): TimedStatement[] {
    const failure = isRecord(error) ? (textOf(error.message) ?? 'the turn failed') : this.#failure
    this.#failure = null
    if (!this.#isNew(`end ${textOf(turn) ?? at}`)) return []
    const text = textOf(last)
    if (failure !== null && text === undefined) return [{ is: 'turn-ended', outcome: 'failed', text: failure, at }]
    return [{ is: 'turn-ended', outcome: 'done', ...(text !== undefined && { text }), at }]
  }

  /** The same count is told again when only the limits of the account have changed. */
  #count({ info }: JsonRecord, at: number | null): TimedStatement[] {
    const { total_token_usage: total, last_token_usage: last, model_context_window: size } = isRecord(info) ? info : {}
    const tokens = isRecord(total) ? numberOf(total.total_tokens) : 0
    if (tokens <= this.#tokens || !isRecord(last)) return []
    this.#tokens = tokens
    const contextWindow = numberOf(size)
    return [
      {
        is: 'usage',
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
