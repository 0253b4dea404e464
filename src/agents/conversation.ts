import type { TranscriptReader, TranscriptUpdate } from './adapter.js'
import { type JsonLinesOptions, JsonLinesReader, type JsonRecord } from './json-lines.js'
import type { AgentStatement } from './report.js'

export type TimedStatement = AgentStatement & { at: number | null }

/** Parses the records of one transcript, in order; a repeated record gives nothing. */
export interface TranscriptParser {
  /** Null for an unknown kind of record. */
  parseRecord(record: JsonRecord): TimedStatement[] | null
}

export class TranscriptFileReader implements TranscriptReader {
  readonly #lines: JsonLinesReader
  readonly #conversation: TranscriptParser

  constructor(path: string, conversation: TranscriptParser, options?: JsonLinesOptions) {
    this.#lines = new JsonLinesReader(path, options)
    this.#conversation = conversation
  }

  async read(): Promise<TranscriptUpdate> {
    const update: TranscriptUpdate = { statements: [], skipped: 0 }
    const { skipped } = await this.#lines.read(record => {
      const statements = this.#conversation.parseRecord(record)
      if (statements === null) update.skipped += 1
      else update.statements.push(...statements)
    })
    update.skipped += skipped
    return update
  }

  close(): void {}
}

/** The text of content that is a text or a list of parts with texts. */
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
