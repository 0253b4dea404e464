import type { StoredEvent } from '../event-store.js'
import type { EventPage } from '../log-subscription.js'
import type { Connection } from './connection.js'
import { decodeEvent, EVENT_COLUMNS, type EventRow } from './event-rows.js'

const READ_ALL = `SELECT ${EVENT_COLUMNS} FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT ?`
const READ_TYPES = `SELECT ${EVENT_COLUMNS} FROM events WHERE position > ? AND position <= ?
  AND type IN (SELECT value FROM json_each(?)) ORDER BY position LIMIT ?`
const READ_STREAM = `SELECT ${EVENT_COLUMNS} FROM events WHERE stream = ? AND events.version >= ? ORDER BY events.version LIMIT ?`

/** Rows fetched at once if the caller sets no limit or a large one. */
const PAGE = 1_000

/**
 * Reads events and skips damaged rows: one bad row must not hide the good ones after it.
 *
 * In a damaged file a query may return rows that do not match it, and in another order. So results
 * are filtered again, and every cursor advances by at least one, or a loop over pages would never
 * end.
 */
export class EventReader {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  head(): number {
    return this.#connection.get<{ head: number | null }>('SELECT max(position) AS head FROM events')?.head ?? 0
  }

  page(after: number, upTo: number, limit: number, types?: readonly string[]): EventPage {
    const rows = types
      ? this.#connection.all<EventRow>(READ_TYPES, after, upTo, JSON.stringify(types), limit)
      : this.#connection.all<EventRow>(READ_ALL, after, upTo, limit)
    const isLast = rows.length < limit
    // At the end the cursor advances to `upTo`, so that events of other types are not scanned
    // again.
    const next = isLast ? Math.max(after, upTo) : Math.max(after + 1, rows.at(-1)?.position ?? 0)
    return { events: this.#decode(rows).filter(event => event.position > after), next, isLast }
  }

  /** Exactly `limit` valid events if the log has them, so that a shorter result means the end. */
  all(after: number, limit: number, types?: readonly string[]): StoredEvent[] {
    const upTo = this.head()
    const events: StoredEvent[] = []
    for (let cursor = after; events.length < limit; ) {
      const page = this.page(cursor, upTo, Math.min(PAGE, limit - events.length), types)
      events.push(...page.events)
      if (page.isLast) break
      cursor = page.next
    }
    return events
  }

  stream(stream: string, fromVersion: number, limit: number): StoredEvent[] {
    const events: StoredEvent[] = []
    for (let version = fromVersion; events.length < limit; ) {
      const size = Math.min(PAGE, limit - events.length)
      const rows = this.#connection.all<EventRow>(READ_STREAM, stream, version, size)
      events.push(...this.#decode(rows).filter(event => event.stream === stream && event.version >= version))
      if (rows.length < size) break
      version = Math.max(version, rows.at(-1)!.version) + 1
    }
    return events
  }

  #decode(rows: readonly EventRow[]): StoredEvent[] {
    return rows.flatMap(row => decodeEvent(row) ?? [])
  }
}
