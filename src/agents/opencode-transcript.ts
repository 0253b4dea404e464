import { join } from 'node:path'
import { type Database, loadDriver } from '../store/index.js'
import type { AgentTranscript, TranscriptLookup, TranscriptReader, TranscriptUpdate } from './adapter.js'
import type { TimedStatement } from './conversation.js'
import { movableDirectory } from './home-directory.js'
import { parseRecord } from './json-lines.js'
import { OpenCodeConversation } from './opencode-conversation.js'
import { writtenSince } from './transcript-files.js'

/** How long a read may wait for the agent's lock; the next read follows soon. */
const BUSY_MS = 50
/** Rows are stamped before they are written: this period is read again, and reported once. */
const OVERLAP_MS = 2_000
/** A session may be stamped a moment before we record its start. */
const EARLY_MS = 1_000

/**
 * One database for all conversations: `opencode.db` in `~/.local/share/opencode`, in WAL mode. It
 * is opened read-only, and no transaction stays open between reads, so the agent never waits for
 * us.
 */
export const opencodeTranscript: AgentTranscript = {
  form: 'sqlite',
  locate: ({ env }) =>
    writtenSince([join(movableDirectory(env, 'XDG_DATA_HOME', '.local', 'share'), 'opencode', 'opencode.db')], 0),
  open: (path, lookup) => new OpenCodeTranscriptReader(path, lookup),
}

interface Row {
  id: string
  data: string
  time_updated: number
}

class OpenCodeTranscriptReader implements TranscriptReader {
  readonly #path: string
  readonly #lookup: Pick<TranscriptLookup, 'agentSessionId' | 'cwd' | 'startedAt'>
  readonly #conversation = new OpenCodeConversation()
  #database: Database | null = null
  #session: string | null = null
  #since = 0

  constructor(path: string, lookup?: TranscriptLookup) {
    this.#path = path
    this.#lookup = lookup ?? { agentSessionId: null, cwd: '', startedAt: 0 }
  }

  async read(): Promise<TranscriptUpdate> {
    const update: TranscriptUpdate = { statements: [], skipped: 0 }
    try {
      const driver = await loadDriver()
      this.#database ??= new driver(this.#path, { readOnly: true, timeout: BUSY_MS })
      this.#readInto(update, this.#database)
    } catch {
      // Busy, being created, or of a version with another schema: try again at the next read.
      this.close()
    }
    return update
  }

  close(): void {
    this.#database?.close()
    this.#database = null
  }

  #readInto(update: TranscriptUpdate, database: Database): void {
    const session = this.#session ?? this.#findSession(database, update.statements)
    if (session === null) return
    const since = this.#since - OVERLAP_MS
    const messages = database
      .prepare(
        `SELECT id, data, time_updated FROM message WHERE session_id = ? AND (time_updated >= ? OR id IN
          (SELECT message_id FROM part WHERE session_id = ? AND time_updated >= ?)) ORDER BY time_created, id`,
      )
      .all(session, since, session, since) as Row[]
    const parts = database.prepare('SELECT id, data, time_updated FROM part WHERE message_id = ? ORDER BY id')
    for (const message of messages) {
      const info = parseRecord(message.data)
      if (!info) {
        update.skipped += 1
        continue
      }
      update.statements.push(...this.#conversation.message({ ...info, id: message.id }))
      this.#since = Math.max(this.#since, message.time_updated)
      for (const row of parts.all(message.id) as Row[]) {
        const part = parseRecord(row.data)
        if (!part) update.skipped += 1
        else {
          const whole = { ...part, id: row.id, messageID: message.id }
          update.statements.push(...this.#conversation.part(whole, row.time_updated))
        }
        this.#since = Math.max(this.#since, row.time_updated)
      }
      update.statements.push(...this.#conversation.endAfterLast(message.time_updated))
    }
  }

  /** The session by its id, else the first of this terminal: sub-agents have a parent. */
  #findSession(database: Database, statements: TimedStatement[]): string | null {
    const { agentSessionId, cwd, startedAt } = this.#lookup
    const columns = 'SELECT id, version, directory, time_created FROM session WHERE'
    const row =
      agentSessionId === null
        ? database
            .prepare(
              `${columns} parent_id IS NULL AND directory = ? AND time_created >= ? ORDER BY time_created LIMIT 1`,
            )
            .get(cwd, startedAt - EARLY_MS)
        : database.prepare(`${columns} id = ?`).get(agentSessionId)
    if (row === undefined || row === null) return null
    const found = row as { id: string; version: string; directory: string; time_created: number }
    this.#session = found.id
    statements.push({
      kind: 'session',
      agentSession: found.id,
      transcript: this.#path,
      version: found.version,
      cwd: found.directory,
      at: found.time_created,
    })
    return found.id
  }
}
