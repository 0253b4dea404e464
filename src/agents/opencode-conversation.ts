import type { TimedStatement } from './conversation.js'
import { isRecord, type JsonRecord, numberOf, textOf } from './json-lines.js'

/** How it words a denial in the result of the tool. */
const REFUSAL = 'The user rejected permission'

/**
 * Parses the messages and parts of an OpenCode conversation, from its events or from its database
 * (1.18). Both deliver every message and part again, complete, each time it changes.
 */
export class OpenCodeConversation {
  readonly #roles = new Map<string, string>()
  readonly #seen = new Set<string>()
  readonly #open = new Set<string>()
  /** Parts of messages whose role is not known yet. */
  readonly #early = new Map<string, { part: JsonRecord; at: number | null }[]>()
  #end: { outcome: 'done' | 'interrupted' | 'failed'; text?: string } | null = null
  #isTurnOpen = false
  /** The last message says that no other will follow. */
  #isLast = false

  /** Whether a model message is being written. */
  get isAnswering(): boolean {
    return this.#open.size > 0
  }

  message(info: JsonRecord): TimedStatement[] {
    const id = textOf(info.id)
    const role = textOf(info.role)
    if (id === undefined || role === undefined) return []
    this.#roles.set(id, role)
    const early = this.#early.get(id) ?? []
    this.#early.delete(id)
    if (role === 'assistant') this.#follow(id, info)
    return early.flatMap(({ part, at }) => this.part(part, at))
  }

  part(part: JsonRecord, at: number | null): TimedStatement[] {
    const message = textOf(part.messageID)
    const id = textOf(part.id)
    if (message === undefined || id === undefined) return []
    const role = this.#roles.get(message)
    if (role === undefined) {
      this.#early.set(message, [...(this.#early.get(message) ?? []), { part, at }])
      return []
    }
    switch (part.type) {
      case 'text':
        return role === 'user' ? this.#prompt(part, { id, message }, at) : this.#readText(part, id, at)
      case 'tool':
        return this.#tool(part, id, at)
      case 'step-finish':
        return this.#usage(part, id, at)
      default:
        return []
    }
  }

  /** Ends the turn if its last message says so, for sources that do not report idleness. */
  endAfterLast(at: number | null): TimedStatement[] {
    return this.#isLast ? this.endTurn(at) : []
  }

  /** The agent is idle: the turn has ended, unless its last message is still being written. */
  endTurn(at: number | null): TimedStatement[] {
    if (!this.#isTurnOpen || this.isAnswering) return []
    this.#isTurnOpen = false
    const end = this.#end ?? { outcome: 'done' as const }
    this.#end = null
    return [{ kind: 'turn-ended', ...end, at }]
  }

  #follow(id: string, info: JsonRecord): void {
    const isComplete = isRecord(info.time) && info.time.completed !== undefined
    if (!isComplete) {
      this.#open.add(id)
      this.#isTurnOpen = true
      this.#isLast = false
      return
    }
    this.#open.delete(id)
    if (!this.#isNew(`end ${id}`)) return
    this.#isTurnOpen = true
    this.#isLast = isRecord(info.error) || info.finish !== 'tool-calls'
    if (isRecord(info.error)) {
      const text = isRecord(info.error.data) ? textOf(info.error.data.message) : undefined
      const isAbort = info.error.name === 'MessageAbortedError'
      this.#end = isAbort ? { outcome: 'interrupted' } : { outcome: 'failed', ...(text !== undefined && { text }) }
    } else if (info.finish !== 'tool-calls') this.#end = { outcome: 'done' }
  }

  #prompt(part: JsonRecord, { id, message }: { id: string; message: string }, at: number | null): TimedStatement[] {
    const text = textOf(part.text)
    // Parts that the program adds to the prompt: files it read, reminders.
    if (text === undefined || part.synthetic === true || part.ignored === true || !this.#isNew(id)) return []
    this.#isTurnOpen = true
    this.#isLast = false
    this.#end = null
    return [{ kind: 'prompt', text, prompt: message, at }]
  }

  #readText(part: JsonRecord, id: string, at: number | null): TimedStatement[] {
    const markdown = textOf(part.text)
    const isFinished = isRecord(part.time) && part.time.end !== undefined
    if (markdown === undefined || !isFinished || part.synthetic === true || !this.#isNew(id)) return []
    return [{ kind: 'said', id, markdown, at }]
  }

  #tool(part: JsonRecord, id: string, at: number | null): TimedStatement[] {
    const state = isRecord(part.state) ? part.state : {}
    const about = { key: textOf(part.callID) ?? null, tool: textOf(part.tool) ?? 'unknown', input: state.input }
    switch (state.status) {
      case 'running':
        return this.#isNew(`${id} started`) ? [{ kind: 'tool', state: 'started', ...about, at }] : []
      case 'completed': {
        const output = textOf(state.output)
        if (!this.#isNew(`${id} ended`)) return []
        return [{ kind: 'tool', state: 'done', ...about, ...(output !== undefined && { output }), at }]
      }
      case 'error': {
        const output = textOf(state.error)
        if (!this.#isNew(`${id} ended`)) return []
        const isRefused = output?.startsWith(REFUSAL) === true
        // Without a reason, the turn ends there; with one, the model is called again and answers.
        if (isRefused) this.#end = { outcome: 'interrupted' }
        const result = isRefused ? 'denied' : 'failed'
        return [{ kind: 'tool', state: result, ...about, ...(output !== undefined && { output }), at }]
      }
      default:
        return []
    }
  }

  #usage(part: JsonRecord, id: string, at: number | null): TimedStatement[] {
    if (!isRecord(part.tokens) || !this.#isNew(id)) return []
    const { input, output, reasoning, cache } = part.tokens
    const cached = isRecord(cache) ? numberOf(cache.read) + numberOf(cache.write) : 0
    const costUsd = numberOf(part.cost)
    return [
      {
        kind: 'usage',
        input: numberOf(input) + cached,
        output: numberOf(output) + numberOf(reasoning),
        ...(costUsd > 0 && { costUsd }),
        at,
      },
    ]
  }

  #isNew(key: string): boolean {
    if (this.#seen.has(key)) return false
    this.#seen.add(key)
    return true
  }
}
