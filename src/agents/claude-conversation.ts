import type { TimedStatement as Timed, TranscriptParser } from './conversation.js'
import { isRecord, type JsonRecord, numberOf, textOf, timeOf } from './json-lines.js'
import type { ToolStatement, UsageStatement } from './report.js'

/**
 * Parses the records of a Claude Code transcript, in order.
 *
 * A model message is written as one record for each of its blocks, and every one repeats the
 * message's usage. A turn ends with `turn_duration`, or with a note that the person interrupted;
 * after a denial at a dialog both appear. A denied tool and a tool that was stopped leave the same
 * result: only the note that follows distinguishes them, so such a result waits for it.
 */
export class ClaudeConversation implements TranscriptParser {
  readonly #subAgent: string | null
  #session: { id: string; path: string } | null
  readonly #seen = new Set<string>()
  readonly #tools = new Map<string, { tool: string; input: unknown }>()
  #usage: (UsageStatement & { message: string; at: number | null }) | null = null
  #refused: (ToolStatement & { at: number | null }) | null = null
  #isTurnOpen = false
  #failure: string | null = null

  constructor(of: { session: string; path: string } | { subAgent: string }) {
    this.#subAgent = 'subAgent' in of ? of.subAgent : null
    this.#session = 'subAgent' in of ? null : { id: of.session, path: of.path }
  }

  parseRecord(record: JsonRecord): Timed[] {
    const { uuid } = record
    if (typeof uuid !== 'string' || this.#seen.has(uuid)) return []
    this.#seen.add(uuid)
    const at = timeOf(record.timestamp)
    const statements = [...this.#announce(record, at), ...this.#settleRefusal(record), ...this.#read(record, at)]
    const subAgent = this.#subAgent ?? (record.isSidechain === true ? (textOf(record.agentId) ?? 'sidechain') : null)
    return subAgent === null ? statements : statements.map(statement => ({ ...statement, subAgent }))
  }

  #announce(record: JsonRecord, at: number | null): Timed[] {
    const version = textOf(record.version)
    if (this.#session === null || version === undefined) return []
    const { id, path } = this.#session
    this.#session = null
    const cwd = textOf(record.cwd)
    return [{ kind: 'session', agentSession: id, transcript: path, version, ...(cwd !== undefined && { cwd }), at }]
  }

  #read(record: JsonRecord, at: number | null): Timed[] {
    const { type } = record
    if (type === 'assistant') return this.#model(record, at)
    if (type === 'user') return this.#user(record, at)
    if (type === 'system' && record.subtype === 'turn_duration') return this.#endTurn(record, at)
    return []
  }

  #model(record: JsonRecord, at: number | null): Timed[] {
    const message = isRecord(record.message) ? record.message : {}
    const blocks = blocksOf(message.content)
    if (record.isApiErrorMessage === true) {
      this.#failure = blocks.map(block => textOf(block.text) ?? '').join('\n')
      this.#isTurnOpen = true
      return []
    }
    // Written by the program itself when the model gave no answer.
    if (message.model === '<synthetic>') return []
    this.#failure = null
    this.#isTurnOpen = true
    const statements: Timed[] = this.#count(message, at)
    for (const block of blocks) {
      const text = textOf(block.text)
      if (block.type === 'text' && text !== undefined) {
        statements.push({ kind: 'said', id: String(record.uuid), markdown: text, at })
      } else if (block.type === 'tool_use' && typeof block.id === 'string') {
        const tool = { tool: textOf(block.name) ?? 'unknown', input: block.input }
        this.#tools.set(block.id, tool)
        statements.push({ kind: 'tool', state: 'started', key: block.id, ...tool, at })
      }
    }
    return statements
  }

  /** Usage is reported when the next message begins: a message's last record has its count. */
  #count(message: JsonRecord, at: number | null): Timed[] {
    const id = textOf(message.id)
    const usage = isRecord(message.usage) ? message.usage : {}
    const input =
      numberOf(usage.input_tokens) +
      numberOf(usage.cache_creation_input_tokens) +
      numberOf(usage.cache_read_input_tokens)
    const counted = id !== this.#usage?.message ? this.#flushUsage() : []
    const model = textOf(message.model)
    if (id !== undefined)
      this.#usage = {
        message: id,
        kind: 'usage',
        input,
        output: numberOf(usage.output_tokens),
        cacheRead: numberOf(usage.cache_read_input_tokens),
        cacheWrite: numberOf(usage.cache_creation_input_tokens),
        ...(model !== undefined && { model }),
        at,
      }
    return counted
  }

  #flushUsage(): Timed[] {
    if (!this.#usage) return []
    const { message: _, ...usage } = this.#usage
    this.#usage = null
    return [usage]
  }

  #user(record: JsonRecord, at: number | null): Timed[] {
    if (record.isMeta === true || record.isCompactSummary === true || record.isVisibleInTranscriptOnly === true)
      return []
    const content = isRecord(record.message) ? record.message.content : undefined
    const blocks = blocksOf(content)
    const results = blocks.filter(block => block.type === 'tool_result')
    if (results.length > 0) return results.flatMap(block => this.#result(block, record, at))
    const text = blocks.map(block => textOf(block.text) ?? '').join('\n')
    if (isInterruption(record, content, text)) {
      const isFirst = this.#isTurnOpen
      this.#isTurnOpen = false
      return [
        ...this.#flushUsage(),
        ...(isFirst ? [{ kind: 'turn-ended' as const, outcome: 'interrupted' as const, at }] : []),
      ]
    }
    if (text === '' || (this.#subAgent === null && isCommand(text))) return []
    this.#isTurnOpen = true
    this.#failure = null
    const origin = isRecord(record.origin) ? record.origin.kind : 'human'
    // A finished background task starts a turn without a prompt.
    if (origin !== 'human') return [{ kind: 'working', at }]
    const prompt = textOf(record.promptId)
    return [{ kind: 'prompt', text, ...(prompt !== undefined && { prompt }), at }]
  }

  #result(block: JsonRecord, record: JsonRecord, at: number | null): Timed[] {
    const key = textOf(block.tool_use_id) ?? null
    const tool = (key !== null && this.#tools.get(key)) || { tool: 'unknown', input: undefined }
    if (key !== null) this.#tools.delete(key)
    const output = blocksOf(block.content)
      .map(part => textOf(part.text) ?? '')
      .join('\n')
    const statement = { kind: 'tool' as const, key, ...tool, ...(output !== '' && { output }), at }
    const denial = textOf(record.toolDenialKind)
    if (denial === 'user-rejected' && record.permissionDecision === undefined) {
      this.#refused = { ...statement, state: 'denied' }
      return []
    }
    if (denial !== undefined && denial !== 'interrupted') return [{ ...statement, state: 'denied' }]
    return [{ ...statement, state: block.is_error === true ? 'failed' : 'done' }]
  }

  #settleRefusal(next: JsonRecord): Timed[] {
    const refused = this.#refused
    if (refused === null || next.type === 'attachment') return []
    this.#refused = null
    return [{ ...refused, state: next.interruptedMessageId === undefined ? 'denied' : 'failed' }]
  }

  #endTurn(record: JsonRecord, at: number | null): Timed[] {
    const statements = this.#flushUsage()
    if (!this.#isTurnOpen) return statements
    this.#isTurnOpen = false
    const failure = this.#failure
    this.#failure = null
    const background = numberOf(record.pendingBackgroundAgentCount)
    return [
      ...statements,
      {
        kind: 'turn-ended',
        outcome: failure === null ? 'done' : 'failed',
        ...(failure !== null && { text: failure }),
        ...(background > 0 && { background }),
        at,
      },
    ]
  }
}

function blocksOf(content: unknown): JsonRecord[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isRecord) : []
}

/**
 * A note by the program in the role of the user; typed by a person it would be a text, not a list.
 */
function isInterruption(record: JsonRecord, content: unknown, text: string): boolean {
  if (textOf(record.interruptedMessageId) !== undefined) return true
  return (
    Array.isArray(content) &&
    record.origin === undefined &&
    (text === '[Request interrupted by user]' || text === '[Request interrupted by user for tool use]')
  )
}

/** Slash commands and their output are recorded as user messages. */
function isCommand(text: string): boolean {
  return /^<(command-name|command-message|local-command-[a-z]+|bash-(input|stdout|stderr))>/.test(text.trimStart())
}
