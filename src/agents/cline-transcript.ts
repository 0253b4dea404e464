import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import type { AgentTranscript, TranscriptLookup, TranscriptReader, TranscriptUpdate } from './adapter.js'
import { partsOf, type TimedStatement, textOfParts } from './conversation.js'
import { movableDirectory } from './home-directory.js'
import { type JsonRecord, numberOf, parseRecord, textOf } from './json-lines.js'
import { namesIn, writtenSince } from './transcript-files.js'

/** The file is rewritten for every message and read as a whole; a larger one is not read at all. */
const BYTES_MAX = 50 * 1024 * 1024
const MESSAGES = '.messages.json'

/** `~/.cline/data/sessions/<id>/<id>.messages.json`; the state is in `<id>.json` next to it. */
export const clineTranscript: AgentTranscript = {
  form: 'whole',
  locate,
  open: path => new ClineTranscriptReader(path),
}

async function locate({ env, agentSessionId, startedAt }: TranscriptLookup): Promise<string[]> {
  const sessions = join(clineData(env), 'sessions')
  const names = agentSessionId === null ? await namesIn(sessions) : [agentSessionId]
  const files = names.map(name => join(sessions, name, name + MESSAGES))
  return writtenSince(files, agentSessionId === null ? startedAt : 0)
}

/** Where it stores its data: `CLINE_DATA_DIR`, else `data` in its own directory. */
export function clineData(env: NodeJS.ProcessEnv): string {
  const moved = env.CLINE_DATA_DIR
  return moved !== undefined && isAbsolute(moved) ? moved : join(movableDirectory(env, 'CLINE_DIR', '.cline'), 'data')
}

/**
 * Both files are rewritten as a whole, so each read compares with what was reported before:
 * messages by id, the state by its last value. A half-written file is left for the next read.
 */
class ClineTranscriptReader implements TranscriptReader {
  readonly #path: string
  readonly #statePath: string
  readonly #seen = new Set<string>()
  readonly #tools = new Map<string, { tool: string; input: unknown }>()
  #read = ''
  #isAnnounced = false
  #isRunning = false
  #isEnded = false

  constructor(path: string) {
    this.#path = path
    this.#statePath = join(dirname(path), `${basename(path, MESSAGES)}.json`)
  }

  async read(): Promise<TranscriptUpdate> {
    const update: TranscriptUpdate = { statements: [], skipped: 0 }
    // The state first: once it says that the turn has ended, all messages of that turn are written.
    const state = await readWhole(this.#statePath)
    const mark = await markOf(this.#path)
    if (mark !== null && mark !== this.#read) {
      const file = await readWhole(this.#path)
      if (file) {
        this.#read = mark
        update.statements.push(...this.#announce(file))
        for (const message of partsOf(file.messages)) update.statements.push(...this.#message(message))
      }
    }
    if (state) update.statements.push(...this.#state(state))
    return update
  }

  close(): void {}

  #announce(file: JsonRecord): TimedStatement[] {
    const agentSession = textOf(file.sessionId)
    if (this.#isAnnounced || agentSession === undefined) return []
    this.#isAnnounced = true
    return [{ kind: 'session', agentSession, transcript: this.#path, at: null }]
  }

  #message(message: JsonRecord): TimedStatement[] {
    const { id } = message
    if (typeof id !== 'string' || this.#seen.has(id)) return []
    this.#seen.add(id)
    const at = typeof message.ts === 'number' ? message.ts : null
    const parts = partsOf(message.content)
    const text = textOfParts(message.content, part => part.type === 'text')
    if (message.role === 'user') {
      const results = parts.filter(part => part.type === 'tool_result')
      const statements: TimedStatement[] = results.map(part => this.#result(part, at))
      if (text !== '') statements.push({ kind: 'prompt', text: withoutFrame(text), prompt: id, at })
      return statements
    }
    const statements: TimedStatement[] = text.trim() === '' ? [] : [{ kind: 'said', id, markdown: text, at }]
    for (const part of parts) {
      if (part.type !== 'tool_use') continue
      const key = textOf(part.id) ?? null
      const tool = { tool: textOf(part.name) ?? 'unknown', input: part.input }
      if (key !== null) this.#tools.set(key, tool)
      statements.push({ kind: 'tool', state: 'started', key, ...tool, at })
    }
    const metrics = partsOf([message.metrics])[0]
    if (metrics)
      statements.push({
        kind: 'usage',
        input: numberOf(metrics.inputTokens) + numberOf(metrics.cacheReadTokens) + numberOf(metrics.cacheWriteTokens),
        output: numberOf(metrics.outputTokens),
        at,
      })
    return statements
  }

  /**
   * A denied tool is recorded like a failed one, with a different text; it is reported as failed.
   */
  #result(part: JsonRecord, at: number | null): TimedStatement {
    const key = textOf(part.tool_use_id) ?? null
    const tool = (key !== null && this.#tools.get(key)) || { tool: textOf(part.name) ?? 'unknown', input: undefined }
    const output =
      typeof part.content === 'string'
        ? part.content
        : partsOf(part.content)
            .map(each => textOf(each.result) ?? textOf(each.text) ?? '')
            .join('\n')
    const state = part.is_error === true ? 'failed' : 'done'
    return { kind: 'tool', state, key, ...tool, ...(output !== '' && { output }), at }
  }

  #state(state: JsonRecord): TimedStatement[] {
    const wasRunning = this.#isRunning
    this.#isRunning = state.status === 'running'
    if (this.#isRunning) return wasRunning ? [] : [{ kind: 'working', at: null }]
    const statements: TimedStatement[] = []
    const outcome = state.status === 'cancelled' ? 'interrupted' : state.status === 'failed' ? 'failed' : 'done'
    if (wasRunning) statements.push({ kind: 'turn-ended', outcome, at: null })
    if (typeof state.ended_at === 'string' && !this.#isEnded) {
      this.#isEnded = true
      statements.push({
        kind: 'ended',
        reason: textOf(state.status) ?? 'ended',
        at: Date.parse(state.ended_at) || null,
      })
    }
    return statements
  }
}

/** The person's text is wrapped in a tag with the mode: `<user_input mode="act">…</user_input>`. */
function withoutFrame(text: string): string {
  const start = text.indexOf('>')
  const isFramed = text.startsWith('<user_input') && text.endsWith('</user_input>') && start !== -1
  return isFramed ? text.slice(start + 1, -'</user_input>'.length) : text
}

/** Changes whenever the file is written. */
async function markOf(path: string): Promise<string | null> {
  const times = await stat(path).catch(() => null)
  return times === null ? null : `${times.ino}:${times.size}:${times.mtimeMs}`
}

async function readWhole(path: string): Promise<JsonRecord | null> {
  const times = await stat(path).catch(() => null)
  if (times === null || times.size > BYTES_MAX) return null
  return parseRecord(await readFile(path, 'utf8').catch(() => ''))
}
