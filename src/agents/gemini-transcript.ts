import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AgentTranscript, TranscriptLookup } from './adapter.js'
import {
  partsOf,
  type TimedStatement,
  TranscriptFileReader,
  type TranscriptParser,
  textOfParts,
} from './conversation.js'
import { movableDirectory } from './home-directory.js'
import { isRecord, type JsonRecord, numberOf, textOf, timeOf } from './json-lines.js'
import { namesIn, pathsIn, writtenSince } from './transcript-files.js'

export const geminiTranscript: AgentTranscript = {
  form: 'lines',
  locate,
  open: path => new TranscriptFileReader(path, new GeminiConversation(path)),
}

/** The directory of its settings and conversations. */
export function geminiDirectory(env: NodeJS.ProcessEnv): string {
  return join(movableDirectory(env, 'GEMINI_CLI_HOME'), '.gemini')
}

/**
 * `~/.gemini/tmp/<project>/chats/session-<time>-<first 8 of the id>.jsonl`; `.project_root` holds
 * the directory of a project.
 */
async function locate({ env, cwd, agentSessionId, startedAt }: TranscriptLookup): Promise<string[]> {
  const projects = join(geminiDirectory(env), 'tmp')
  const chats = (await namesIn(projects)).map(name => join(projects, name, 'chats'))
  if (agentSessionId !== null) {
    const end = `-${agentSessionId.slice(0, 8)}.jsonl`
    const isWanted = (name: string) => name.startsWith('session-') && name.endsWith(end)
    return writtenSince((await Promise.all(chats.map(folder => pathsIn(folder, isWanted)))).flat(), 0)
  }
  const isChat = (name: string) => name.startsWith('session-') && name.endsWith('.jsonl')
  const here: string[] = []
  for (const folder of chats) if (await isOfProject(folder, cwd)) here.push(...(await pathsIn(folder, isChat)))
  return writtenSince(here, startedAt)
}

async function isOfProject(chats: string, cwd: string): Promise<boolean> {
  const root = await readFile(join(dirname(chats), '.project_root'), 'utf8').catch(() => '')
  return root.trim() === cwd
}

/** The program's description of the directory, recorded as the first user message. */
const CONTEXT = '<session_context>'

/**
 * Parses the records of a Gemini CLI transcript, an append-only log (0.61): a head, messages, and
 * `{"$set": …}` records that change the head.
 *
 * - A message is written again, complete and with the same id, when its tools have finished.
 *   Pending calls are not in it.
 * - After a cancelled turn the whole history is written again: all messages with new ids and the
 *   current time, beginning with the context, and `$set.messages` at the end. Nothing in between is
 *   new.
 * - A model message does not say whether the turn continues: calls that follow are not written
 *   before they have ended. So the end of a turn is reported only if it was cancelled or failed.
 */
export class GeminiConversation implements TranscriptParser {
  readonly #path: string
  readonly #seen = new Set<string>()
  #isRepeating = false
  #hasStarted = false

  constructor(path: string) {
    this.#path = path
  }

  parseRecord(record: JsonRecord): TimedStatement[] | null {
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
        // The program's note about a turn that the person cancelled; other notes concern settings.
        return this.#isNew(id) && record.content === 'Request cancelled.'
          ? [{ kind: 'turn-ended', outcome: 'interrupted', at }]
          : []
      case 'error':
        return this.#isNew(id) ? [{ kind: 'turn-ended', outcome: 'failed', text: textOfParts(record.content), at }] : []
      case 'warning':
        return []
      default:
        return null
    }
  }

  #head(record: JsonRecord, session: string): TimedStatement[] {
    if (!this.#isNew(`session ${session}`)) return []
    return [{ kind: 'session', agentSession: session, transcript: this.#path, at: timeOf(record.startTime) }]
  }

  #user(record: JsonRecord, id: string, at: number | null): TimedStatement[] {
    const isContext = (part: JsonRecord) => typeof part.text === 'string' && part.text.startsWith(CONTEXT)
    if (partsOf(record.content).some(isContext) && this.#hasStarted) this.#isRepeating = true
    if (this.#isRepeating || !this.#isNew(id)) return []
    const text = textOfParts(record.displayContent ?? record.content, part => !isContext(part))
    if (text === '') return []
    this.#hasStarted = true
    return [{ kind: 'prompt', text, prompt: id, at }]
  }

  #model(record: JsonRecord, id: string, at: number | null): TimedStatement[] {
    const statements: TimedStatement[] = []
    const markdown = textOfParts(record.content)
    if (markdown.trim() !== '' && this.#isNew(`said ${id}`)) statements.push({ kind: 'said', id, markdown, at })
    if (isRecord(record.tokens) && this.#isNew(`tokens ${id}`)) {
      const { input, output, thoughts, cached } = record.tokens
      const model = textOf(record.model)
      statements.push({
        kind: 'usage',
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
      {
        kind: 'tool',
        state,
        key,
        tool,
        input: call.args,
        ...(output !== '' && { output }),
        at: timeOf(call.timestamp),
      },
    ]
  }

  #isNew(key: string): boolean {
    if (this.#seen.has(key)) return false
    this.#seen.add(key)
    return true
  }
}

/** `cancelled` is a denied or a stopped call; only the latter has something to display. */
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
