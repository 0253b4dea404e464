import type { TranscriptNews, TranscriptReader } from './adapter.js'
import { type JsonLinesOptions, JsonLinesReader, type JsonRecord } from './json-lines.js'
import type { AgentStatement } from './report.js'

export type TimedStatement = AgentStatement & { at: number | null }

/** Understands the records of one transcript, in their order. It remembers what it has seen: a record that comes again says nothing. */
export interface Conversation {
  /** Null for a record that this agent is not known to write. */
  take(record: JsonRecord): TimedStatement[] | null
}

/** A transcript of JSON lines, read as it grows. */
export class ConversationReader implements TranscriptReader {
  readonly #lines: JsonLinesReader
  readonly #conversation: Conversation

  constructor(path: string, conversation: Conversation, options?: JsonLinesOptions) {
    this.#lines = new JsonLinesReader(path, options)
    this.#conversation = conversation
  }

  async read(): Promise<TranscriptNews> {
    const news: TranscriptNews = { statements: [], skipped: 0 }
    const { skipped } = await this.#lines.read(record => {
      const statements = this.#conversation.take(record)
      if (statements === null) news.skipped += 1
      else news.statements.push(...statements)
    })
    news.skipped += skipped
    return news
  }

  close(): void {}
}

/** Text of content that is a text or a list of parts with texts. */
export function textOfParts(content: unknown, isWanted: (part: JsonRecord) => boolean = () => true): string {
  if (typeof content === 'string') return content
  return partsOf(content)
    .filter(isWanted)
    .map(part => (typeof part.text === 'string' ? part.text : ''))
    .filter(text => text !== '')
    .join('\n')
}

export function partsOf(content: unknown): JsonRecord[] {
  return Array.isArray(content)
    ? content.filter((part): part is JsonRecord => typeof part === 'object' && part !== null && !Array.isArray(part))
    : []
}
