import { chmodSync, rmSync } from 'node:fs'
import { type Database, type EventStore, loadDriver, type StoredEvent, type Subscription } from '../store/index.js'
import { type Entry, type EntryKind, entryOf, SEARCHED_TYPES } from './entries.js'
import { excerptOf, mark, matchExpression } from './query.js'

/** The format of the file; a file of another format is built again from the log. */
const FORMAT = 4

const SCHEMA = `
CREATE TABLE entries (
  id INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, session TEXT, run TEXT,
  project TEXT, at INTEGER NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX entries_session ON entries (session);
CREATE TABLE progress (position INTEGER NOT NULL, store TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(
  text, marks, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
PRAGMA user_version = ${FORMAT};`

interface SearchQuery {
  words: string
  kinds?: readonly EntryKind[]
  session?: string | undefined
  run?: string | undefined
  project?: string | undefined
  /** Not older than this. */
  since?: number | undefined
  /** Older than the entry with this number: the next page. */
  before?: number | undefined
  limit: number
}

interface Found {
  /** Names the place in the order of time. */
  id: number
  kind: EntryKind
  session: string | null
  run: string | null
  /** The request, if it is one. */
  approval: string | null
  project: string | null
  at: number
  title: string
  excerpt: string
}

interface Row extends Omit<Entry, 'ref'> {
  id: number
  ref: string
}

/** The index of one home directory. Only its daemon opens it. */
export class SearchIndex {
  readonly #database: Database
  readonly #onError: (error: unknown) => void
  #following: Subscription | null = null

  private constructor(database: Database, onError: (error: unknown) => void) {
    this.#database = database
    this.#onError = onError
  }

  /** A file that cannot be read, is of another format or of another store is replaced. */
  static async open(path: string, store: EventStore, onError: (error: unknown) => void): Promise<SearchIndex> {
    const driver = await loadDriver()
    const tryOpen = () => {
      const database = new driver(path)
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32000')
      const { user_version: format } = database.prepare('PRAGMA user_version').get() as { user_version: number }
      if (format === 0) {
        database.exec(SCHEMA)
        database.prepare('INSERT INTO progress VALUES (0, ?)').run(store.id)
      }
      const progress = database.prepare('SELECT store FROM progress').get() as { store: string } | undefined
      if (format !== 0 && (format !== FORMAT || progress?.store !== store.id)) {
        database.close()
        throw new Error('the search index is outdated')
      }
      return database
    }
    let database: Database
    try {
      database = tryOpen()
    } catch {
      // Nothing is lost: everything in it is in the log.
      for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
      database = tryOpen()
    }
    chmodSync(path, 0o600)
    return new SearchIndex(database, onError)
  }

  /** Follows the log from where the index ended. */
  follow(store: EventStore): void {
    const { position } = this.#database.prepare('SELECT position FROM progress').get() as { position: number }
    const options = { after: position, types: SEARCHED_TYPES, onError: this.#onError }
    this.#following = store.subscribe(options, events => this.add(events))
    void this.#following.poll().catch(this.#onError)
  }

  /** Resolves when everything that the log has now can be found. */
  async caughtUp(): Promise<void> {
    await this.#following?.poll()
  }

  add(events: readonly StoredEvent[]): void {
    this.#inTransaction(() => {
      for (const event of events) {
        if (event.type === 'session.forgotten') this.#forget(event.stream.slice('session/'.length))
        const entry = entryOf(event)
        if (entry) this.#put(event.position, entry)
      }
      const last = events.at(-1)
      if (last) this.#database.prepare('UPDATE progress SET position = ?').run(last.position)
    })
  }

  /** Entries that contain all words, newest first. */
  find(query: SearchQuery): Found[] {
    const marks = [
      ...(query.session === undefined ? [] : [mark('session', query.session)]),
      ...(query.run === undefined ? [] : [mark('run', query.run)]),
      ...(query.project === undefined ? [] : [mark('project', query.project)]),
    ]
    const kinds = query.kinds ?? []
    const match = matchExpression(query.words, marks)
    const ofKind =
      kinds.length === 0 ? '' : ` AND (${kinds.map(kind => `marks : "${mark('kind', kind)}"`).join(' OR ')})`
    // Newest first is the order of the index: it ends as soon as enough are found.
    const rows = this.#database
      .prepare(
        `SELECT e.* FROM words JOIN entries e ON e.id = words.rowid
         WHERE words MATCH ? AND words.rowid < ? AND e.at >= ? ORDER BY words.rowid DESC LIMIT ?`,
      )
      .all(match + ofKind, query.before ?? Number.MAX_SAFE_INTEGER, query.since ?? 0, query.limit) as Row[]
    return rows.map(({ id, ref, kind, session, run, project, at, title, text }) => ({
      id,
      kind,
      session,
      run,
      approval: ref.startsWith('request/') ? ref.slice('request/'.length) : null,
      project,
      at,
      title,
      excerpt: excerptOf(text, query.words),
    }))
  }

  close(): void {
    this.#following?.close()
    this.#database.close()
  }

  #put(id: number, entry: Entry): void {
    const { ref, kind, session, run, at, title, text } = entry
    const former = this.#database.prepare('SELECT id FROM entries WHERE ref = ?').get(ref) as { id: number } | undefined
    if (former) this.#remove(former.id)
    const project = entry.project ?? (session === null ? null : this.#projectOf(session))
    this.#database
      .prepare('INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
      .run(id, ref, kind, session, run, project, at, title, text)
    const marks = [
      mark('kind', kind),
      ...(session === null ? [] : [mark('session', session)]),
      ...(run === null ? [] : [mark('run', run)]),
      ...(project === null ? [] : [mark('project', project)]),
    ]
    this.#database.prepare('INSERT INTO words (rowid, text, marks) VALUES (?, ?, ?)').run(id, text, marks.join(' '))
  }

  #projectOf(session: string): string | null {
    const row = this.#database.prepare('SELECT project FROM entries WHERE ref = ?').get(`session/${session}`)
    return (row as { project: string | null } | undefined)?.project ?? null
  }

  #remove(id: number): void {
    this.#database.prepare('DELETE FROM entries WHERE id = ?').run(id)
    this.#database.prepare('DELETE FROM words WHERE rowid = ?').run(id)
  }

  #forget(session: string): void {
    const rows = this.#database.prepare('SELECT id FROM entries WHERE session = ?').all(session) as { id: number }[]
    for (const { id } of rows) this.#remove(id)
  }

  #inTransaction(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      work()
      this.#database.exec('COMMIT')
    } catch (error) {
      this.#database.exec('ROLLBACK')
      throw error
    }
  }
}
