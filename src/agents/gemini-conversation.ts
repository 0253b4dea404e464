import type { Conversation, TimedStatement } from './conversation.js'
import { partsOf, textOfParts } from './conversation.js'
import { isRecord, type JsonRecord, numberOf, textOf, timeOf } from './json-lines.js'

/** What the program says about the directory in the person's place, at the beginning. */
const CONTEXT = '<session_context>'

/**
 * Reads the records of one of Gemini CLI's transcripts, an append log (0.61): a head, messages, and `{"$set": …}` that change the head.
 *
 * - A message is written again, whole and with the same id, when its tools have finished. Pending calls are not in it.
 * - After a cancelled turn the history is written once more: all messages again, with new ids and the present time, beginning with the
 *   context, and `$set.messages` at the end. Nothing in between is news.
 * - A model's message says nothing about whether the turn goes on: calls that follow it are not written before they have ended. So the end
 *   of a turn is told only when it was cancelled or failed.
 */
export class GeminiConversation implements Conversation {
  readonly #path: string
  readonly #seen = new Set<string>()
  #isRepeating = false
  #hasBegun = false

  constructor(path: string) {
    this.#path = path
  }

  take(record: JsonRecord): TimedStatement[] | null {
    if (isRecord(record.$set)) {
      if (Array.isArray(record.$set.messages)) this.#isRepeating = false
      return []
    }
    if (record.$rewindTo !== undefined) return []
    if (typeof record.sessionId === 'string') return this.#head(record, record.sessionId)
    const { type, id } = record
    if (typeof type !== 'string' || typeof id !== 'string') return null
    const at = timeOf(record.timestamp)
    switch (type) {
      case 'user':
        return this.#user(record, id, at)
      case 'gemini':
        return this.#isRepeating ? [] : this.#model(record, id, at)
      case 'info':
        // The program's own word for a turn that the person ended; other notes are about settings.
        return this.#isNew(id) && record.content === 'Request cancelled.'
          ? [{ is: 'turn-ended', outcome: 'interrupted', at }]
          : []
      case 'error':
        return this.#isNew(id) ? [{ is: 'turn-ended', outcome: 'failed', text: textOfParts(record.content), at }] : []
      case 'warning':
        return []
      default:
        return null
    }
  }

  #head(record: JsonRecord, session: string): TimedStatement[] {
    if (!this.#isNew(`session ${session}`)) return []
    return [{ is: 'session', agentSession: session, transcript: this.#path, at: timeOf(record.startTime) }]
  }

  #user(record: JsonRecord, id: string, at: number | null): TimedStatement[] {
    const isContext = (part: JsonRecord) => typeof part.text === 'string' && part.text.startsWith(CONTEXT)
    if (partsOf(record.content).some(isContext) && this.#hasBegun) this.#isRepeating = true
    if (this.#isRepeating || !this.#isNew(id)) return []
    const text = textOfParts(record.displayContent ?? record.content, part => !isContext(part))
    if (text === '') return []
    this.#hasBegun = true
    return [{ is: 'prompt', text, prompt: id, at }]
  }

  #model(record: JsonRecord, id: string, at: number | null): TimedStatement[] {
    const statements: TimedStatement[] = []
    const markdown = textOfParts(record.content)
    if (markdown.trim() !== '' && this.#isNew(`said ${id}`)) statements.push({ is: 'said', id, markdown, at })
    if (isRecord(record.tokens) && this.#isNew(`tokens ${id}`)) {
      const { input, output, thoughts, cached } = record.tokens
      const model = textOf(record.model)
      statements.push({
        is: 'usage',
        input: numberOf(input),
        output: numberOf(output) + numberOf(thoughts),
        ...(typeof cached === 'number' && { cacheRead: cached }),
        ...(model !== undefined && { model }),
        at,
      })
    }
    for (const call of partsOf(record.toolCalls)) statements.push(...this.#call(call))
    return statements
  }

  #call(call: JsonRecord): TimedStatement[] {
    const key = textOf(call.id) ?? null
    const state = stateOf(call)
    if (state === null || !this.#isNew(`call ${key}`)) return []
    const tool = textOf(call.name) ?? 'unknown'
    const output = outputOf(call.result)
    return [
      { is: 'tool', state, key, tool, input: call.args, ...(output !== '' && { output }), at: timeOf(call.timestamp) },
    ]
  }

  #isNew(key: string): boolean {
    if (this.#seen.has(key)) return false
    this.#seen.add(key)
    return true
  }
}

/** Cancelled is what the person refused and what they stopped; only the latter had something to show. */
function stateOf({ status, resultDisplay }: JsonRecord): 'done' | 'failed' | 'denied' | null {
  if (status === 'success') return 'done'
  if (status === 'cancelled') return resultDisplay === undefined ? 'denied' : 'failed'
  return status === 'error' ? 'failed' : null
}

function outputOf(result: unknown): string {
  return partsOf(result)
    .map(part => (isRecord(part.functionResponse) ? part.functionResponse.response : undefined))
    .map(response => (isRecord(response) ? (textOf(response.output) ?? textOf(response.error) ?? '') : ''))
    .filter(text => text !== '')
    .join('\n')
}
