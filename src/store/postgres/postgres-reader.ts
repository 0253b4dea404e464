import { type StoredTest, storedTests } from '../document-index.js'
import type { DocumentFilter, Projection, StoredDocument, StoredEvent } from '../event-store.js'
import type { EventPage } from '../log-subscription.js'
import { storedName } from './append-plan.js'
import type { Connections } from './connections.js'

export const EVENT_COLUMNS = 'position, stream, version, type, at, data, append'

/** Rows fetched at once if the caller sets no limit or a large one. */
const PAGE = 1_000

export interface EventRow {
  position: number
  stream: string
  version: number
  type: string
  at: number
  data: string
  append: string
}

export function toStored({ position, stream, version, type, at, data }: EventRow): StoredEvent {
  return { position, stream, version, type, at, data: JSON.parse(data) as StoredEvent['data'] }
}

export interface FoundDocuments {
  /** The projections whose documents include every event, by their stored names. */
  folded: readonly string[]
  documents: StoredDocument<unknown>[]
}

/** For programs that only read: the newest version of a projection that they do not know. */
const NEWEST = `(SELECT name FROM projections WHERE split_part(name, '@', 1) = $1 ORDER BY version DESC LIMIT 1)`

export class PostgresReader {
  readonly #connections: Connections
  readonly #onSeen: (position: number, append: string) => void

  constructor(connections: Connections, onSeen: (position: number, append: string) => void) {
    this.#connections = connections
    this.#onSeen = onSeen
  }

  async head(): Promise<number> {
    const [row] = await this.#connections.read<{ position: number }>('SELECT position FROM log_end')
    return row!.position
  }

  async streamVersion(stream: string): Promise<number> {
    const sql = 'SELECT coalesce(max(version), 0) AS version FROM events WHERE stream = $1'
    return (await this.#connections.read<{ version: number }>(sql, [stream]))[0]!.version
  }

  /** The end of the log and the rows are of one moment: the cursor never passes an unread event. */
  async page(after: number, limit: number, types?: readonly string[]): Promise<EventPage> {
    const sql = `SELECT log_end.position AS head, e.* FROM log_end LEFT JOIN LATERAL (
        SELECT ${EVENT_COLUMNS} FROM events WHERE events.position > $1 AND events.position <= log_end.position
        ${types ? 'AND type = ANY($3)' : ''} ORDER BY events.position LIMIT $2
      ) AS e ON true ORDER BY e.position`
    const found = await this.#connections.read<EventRow & { head: number }>(sql, [
      after,
      limit,
      ...(types ? [types] : []),
    ])
    const rows = found.filter(row => row.position !== null)
    const last = rows.at(-1)
    if (last) this.#onSeen(last.position, last.append)
    const isLast = rows.length < limit
    return { events: rows.map(toStored), next: isLast ? Math.max(after, found[0]!.head) : last!.position, isLast }
  }

  async all(after: number, limit: number, types?: readonly string[]): Promise<StoredEvent[]> {
    const events: StoredEvent[] = []
    for (let cursor = after; events.length < limit; ) {
      const page = await this.page(cursor, Math.min(PAGE, limit - events.length), types)
      events.push(...page.events)
      if (page.isLast) break
      cursor = page.next
    }
    return events
  }

  async stream(stream: string, fromVersion: number, limit: number): Promise<StoredEvent[]> {
    const sql = `SELECT ${EVENT_COLUMNS} FROM events WHERE stream = $1 AND version >= $2 ORDER BY version LIMIT $3`
    const events: StoredEvent[] = []
    for (let version = fromVersion; events.length < limit; ) {
      const size = Math.min(PAGE, limit - events.length)
      const rows = await this.#connections.read<EventRow>(sql, [stream, version, size])
      events.push(...rows.map(toStored))
      if (rows.length < size) break
      version = rows.at(-1)!.version + 1
    }
    return events
  }

  /**
   * Most recently changed first.
   * @param projection one that this program folds, or the name of another one.
   */
  async documents(projection: Projection | string, filter: DocumentFilter & { key?: string }): Promise<FoundDocuments> {
    const isName = typeof projection === 'string'
    const values: unknown[] = [isName ? projection : storedName(projection)]
    const value = (given: unknown) => `$${values.push(given)}`
    const tests = [
      ...(filter.key === undefined ? [] : [`d.key = ${value(filter.key)}`]),
      ...(filter.before === undefined ? [] : [`d.position < ${value(filter.before)}`]),
      ...(filter.prefix === undefined ? [] : [`starts_with(d.key, ${value(filter.prefix)})`]),
      ...storedTests(filter.where).map(test => testSql(test, value)),
    ].map(test => ` AND ${test}`)
    const limit = filter.limit === undefined ? '' : ` LIMIT ${value(filter.limit)}`
    const sql = `SELECT log_end.folded, d.* FROM log_end
      LEFT JOIN LATERAL (SELECT d.key, d.state, d.position FROM documents AS d
        WHERE d.projection = ${isName ? NEWEST : '$1'}${tests.join('')} ORDER BY d.position DESC${limit}) AS d ON true
      ORDER BY d.position DESC`
    const rows = await this.#connections.read<DocumentRow>(sql, values)
    return {
      folded: JSON.parse(rows[0]!.folded) as string[],
      documents: rows
        .filter(row => row.key !== null)
        .map(({ key, state, position }) => ({ key: key!, state: JSON.parse(state!), position: position! })),
    }
  }
}

interface DocumentRow {
  folded: string
  key: string | null
  state: string | null
  position: number | null
}

function testSql(test: StoredTest, value: (given: unknown) => string): string {
  const matches = 'atMost' in test ? `f.number <= ${value(test.atMost)}` : `f.value = ANY(${value(test.values)})`
  return `d.key IN (SELECT f.key FROM document_fields AS f
    WHERE f.projection = d.projection AND f.field = ${value(test.field)} AND ${matches})`
}
