import type { TimedStatement } from './conversation.js'
import { isRecord, type JsonRecord, textOf } from './json-lines.js'
import { OpenCodeConversation } from './opencode-conversation.js'
import type { AgentStatement } from './report.js'

/**
 * Translates the events of OpenCode's server (`GET /event`), for all conversations of one terminal.
 * Sub-agents have conversations of their own, children of the one that started them; a person may
 * start another with `/new`.
 */
export class OpenCodeReport {
  readonly #conversations = new Map<string, OpenCodeConversation>()
  readonly #parents = new Map<string, string>()
  /** By the id that answers refer to. `use`: the tool use it concerns, if the request says so. */
  readonly #pending = new Map<string, { session: string; use: string | null }>()
  #main: string | null = null

  /** Takes one event of the stream. Unknown ones give nothing. */
  parseEvent(event: JsonRecord): TimedStatement[] {
    const { type } = event
    const about = isRecord(event.properties) ? event.properties : {}
    const at = typeof about.time === 'number' ? about.time : null
    switch (type) {
      case 'session.created':
      case 'session.updated':
        return this.#session(about)
      case 'message.updated':
        return isRecord(about.info) ? this.#of(about.info.sessionID, one => one.message(about.info as JsonRecord)) : []
      case 'message.part.updated': {
        const { part } = about
        return isRecord(part) ? this.#of(part.sessionID, one => one.part(part, at)) : []
      }
      case 'session.status':
        return this.#status(about)
      case 'session.idle':
        return this.#of(about.sessionID, one => one.endTurn(at))
      case 'permission.asked':
        return this.asked(about)
      case 'permission.replied':
        return this.#answered(about, about.reply === 'reject' ? 'denied' : 'allowed')
      case 'question.asked':
        return this.questionAsked(about)
      case 'question.replied':
        return this.#answered(about, 'allowed')
      case 'question.rejected':
        return this.#answered(about, 'denied')
      default:
        return []
    }
  }

  /** Takes a permission request, from an event or from the list of open ones. */
  asked(request: JsonRecord): TimedStatement[] {
    const hasDetails = isRecord(request.metadata) && Object.keys(request.metadata).length > 0
    return this.#request(request, {
      tool: textOf(request.permission) ?? 'unknown',
      input: hasDetails ? request.metadata : { patterns: request.patterns },
      ...(Array.isArray(request.always) && request.always.length > 0 && { suggestions: request.always }),
    })
  }

  questionAsked(request: JsonRecord): TimedStatement[] {
    return this.#request(request, { tool: 'question', input: { questions: request.questions }, viaScreen: true })
  }

  /** Requests that are not in the agent's own list were answered while disconnected. */
  stillPending(keys: ReadonlySet<string>): TimedStatement[] {
    const gone = [...this.#pending.keys()].filter(key => !keys.has(key))
    return gone.flatMap(key =>
      this.#answered({ requestID: key, sessionID: this.#pending.get(key)?.session }, 'unknown'),
    )
  }

  #session(about: JsonRecord): TimedStatement[] {
    const info = isRecord(about.info) ? about.info : {}
    const id = textOf(info.id)
    const parent = textOf(info.parentID)
    if (id === undefined) return []
    if (parent !== undefined) this.#parents.set(id, parent)
    // The first conversation is this terminal's; a later one replaces it when the person prompts
    // there.
    if (parent !== undefined || this.#main !== null) return []
    return this.#become(id, info)
  }

  #become(id: string, info: JsonRecord = {}): TimedStatement[] {
    this.#main = id
    const version = textOf(info.version)
    const cwd = textOf(info.directory)
    return [
      {
        kind: 'session',
        agentSession: id,
        ...(version !== undefined && { version }),
        ...(cwd !== undefined && { cwd }),
        at: null,
      },
    ]
  }

  #status(about: JsonRecord): TimedStatement[] {
    const type = isRecord(about.status) ? about.status.type : undefined
    return type === 'busy' || type === 'retry' ? this.#of(about.sessionID, () => [{ kind: 'working', at: null }]) : []
  }

  #request(
    request: JsonRecord,
    asks: Omit<Extract<AgentStatement, { kind: 'request' }>, 'kind' | 'key'>,
  ): TimedStatement[] {
    const reply = textOf(request.id)
    const session = textOf(request.sessionID)
    if (reply === undefined || session === undefined || this.#pending.has(reply)) return []
    const use = (isRecord(request.tool) && textOf(request.tool.callID)) || null
    this.#pending.set(reply, { session, use })
    const named = use === null ? { key: reply } : { key: use, reply }
    return this.#of(session, () => [{ kind: 'request', ...named, ...asks, at: null }])
  }

  #answered(about: JsonRecord, result: 'allowed' | 'denied' | 'unknown'): TimedStatement[] {
    const reply = textOf(about.requestID)
    const asked = reply === undefined ? undefined : this.#pending.get(reply)
    if (reply === undefined || !asked) return []
    this.#pending.delete(reply)
    return this.#of(about.sessionID, () => [{ kind: 'answered', key: asked.use ?? reply, result, at: null }])
  }

  #of(session: unknown, say: (conversation: OpenCodeConversation) => TimedStatement[]): TimedStatement[] {
    if (typeof session !== 'string') return []
    let conversation = this.#conversations.get(session)
    if (!conversation) {
      conversation = new OpenCodeConversation()
      this.#conversations.set(session, conversation)
    }
    const statements = say(conversation)
    if (this.#parents.has(session)) return statements.map(statement => ({ ...statement, subAgent: session }))
    const hasMoved = session !== this.#main && statements.some(({ kind }) => kind === 'prompt' || kind === 'request')
    return hasMoved || this.#main === null ? [...this.#become(session), ...statements] : statements
  }
}
