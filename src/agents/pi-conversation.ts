import { partsOf, type TimedStatement, type TranscriptParser, textOfParts } from './conversation.js'
import { isRecord, type JsonRecord, numberOf, textOf, timeOf } from './json-lines.js'

/**
 * Parses the entries of a Pi session file (0.87 and 1.5): a head, then entries that each name the
 * previous one. Every model answer says why it stopped, which determines the end of the turn.
 */
export class PiConversation implements TranscriptParser {
  readonly #path: string
  readonly #seen = new Set<string>()
  readonly #tools = new Map<string, { tool: string; input: unknown }>()

  constructor(path: string) {
    this.#path = path
  }

  parseRecord(record: JsonRecord): TimedStatement[] | null {
    const { id, type } = record
    if (typeof id !== 'string' || typeof type !== 'string') return null
    if (this.#seen.has(id)) return []
    this.#seen.add(id)
    const at = timeOf(record.timestamp)
    if (type === 'session') {
      const cwd = textOf(record.cwd)
      return [{ kind: 'session', agentSession: id, transcript: this.#path, ...(cwd !== undefined && { cwd }), at }]
    }
    // Changes of model and level, labels, summaries and extension data are not part of the
    // conversation.
    if (type !== 'message' || !isRecord(record.message)) return []
    return this.#message(record.message, id, at)
  }

  #message(message: JsonRecord, id: string, at: number | null): TimedStatement[] {
    switch (message.role) {
      case 'user': {
        const text = textOfParts(message.content, part => part.type === 'text')
        return text === '' ? [] : [{ kind: 'prompt', text, prompt: id, at }]
      }
      case 'assistant':
        return this.#model(message, id, at)
      case 'toolResult': {
        const key = textOf(message.toolCallId) ?? null
        const tool = (key !== null && this.#tools.get(key)) || {
          tool: textOf(message.toolName) ?? 'unknown',
          input: undefined,
        }
        const output = textOfParts(message.content, part => part.type === 'text')
        const state = message.isError === true ? 'failed' : 'done'
        return [{ kind: 'tool', state, key, ...tool, ...(output !== '' && { output }), at }]
      }
      default:
        return []
    }
  }

  #model(message: JsonRecord, id: string, at: number | null): TimedStatement[] {
    const statements: TimedStatement[] = []
    const markdown = textOfParts(message.content, part => part.type === 'text')
    if (markdown.trim() !== '') statements.push({ kind: 'said', id, markdown, at })
    for (const part of partsOf(message.content)) {
      if (part.type !== 'toolCall') continue
      const key = textOf(part.id) ?? null
      const tool = { tool: textOf(part.name) ?? 'unknown', input: part.arguments }
      if (key !== null) this.#tools.set(key, tool)
      statements.push({ kind: 'tool', state: 'started', key, ...tool, at })
    }
    return [...statements, ...usageOf(message, at), ...endOf(message, at)]
  }
}

function usageOf({ usage }: JsonRecord, at: number | null): TimedStatement[] {
  if (!isRecord(usage)) return []
  const input = numberOf(usage.input) + numberOf(usage.cacheRead) + numberOf(usage.cacheWrite)
  const costUsd = isRecord(usage.cost) ? numberOf(usage.cost.total) : 0
  return [{ kind: 'usage', input, output: numberOf(usage.output), ...(costUsd > 0 && { costUsd }), at }]
}

function endOf({ stopReason, errorMessage }: JsonRecord, at: number | null): TimedStatement[] {
  const text = textOf(errorMessage)
  switch (stopReason) {
    case 'stop':
    case 'length':
      return [{ kind: 'turn-ended', outcome: 'done', at }]
    case 'aborted':
      return [{ kind: 'turn-ended', outcome: 'interrupted', at }]
    case 'error':
      return [{ kind: 'turn-ended', outcome: 'failed', ...(text !== undefined && { text }), at }]
    default:
      return []
  }
}
