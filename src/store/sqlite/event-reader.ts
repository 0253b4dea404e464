import type { StoredEvent } from '../event-store.js'
import type { Connection } from './connection.js'
import { decodeEvent, EVENT_COLUMNS, type EventRow } from './event-rows.js'

const READ_ALL = `SELECT ${EVENT_COLUMNS} FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT ?`
const READ_TYPES = `SELECT ${EVENT_COLUMNS} FROM events WHERE position > ? AND position <= ?
  AND type IN (SELECT value FROM json_each(?)) ORDER BY position LIMIT ?`
const READ_STREAM = `SELECT ${EVENT_COLUMNS} FROM events WHERE stream = ? AND events.version >= ? ORDER BY events.version LIMIT ?`

/** Remembered so that a row read a thousand times counts once; a file with more bad rows than this is beyond counting. */
const REMEMBERED_BAD_ROWS = 10_000

/** Rows fetched at once where the caller set no limit or a large one. */
const PAGE = 1_000

export interface EventPage {
  events: StoredEvent[]
  /** Where to go on: past the last row that was looked at, readable or not. */
  next: number
  isLast: boolean
}

/**
 * Reads events and steps over rows that are damaged: one bad row must not hide the good ones behind it.
 *
 * In a damaged file a query may return rows that it was not asked for, and in another order. So what comes back is filtered once more,
 * and every cursor moves on by at least one, or a loop over pages would never end.
 */
export class EventReader {
  readonly #connection: Connection
  readonly #badPositions = new Set<number>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** How many different damaged rows have been met. */
  get badRows(): number {
    return this.#badPositions.size
  }

  head(): number {
    return this.#connection.get<{ head: number | null }>('SELECT max(position) AS head FROM events')?.head ?? 0
  }

  /** One page of the log after `after`, not beyond `upTo`. */
  page(after: number, upTo: number, limit: number, types?: readonly string[]): EventPage {
    const rows = types
      ? this.#connection.all<EventRow>(READ_TYPES, after, upTo, JSON.stringify(types), limit)
      : this.#connection.all<EventRow>(READ_ALL, after, upTo, limit)
    const isLast = rows.length < limit
    // At the end the cursor moves to `upTo`, so that events of other types are not looked through again and again.
    const next = isLast ? Math.max(after, upTo) : Math.max(after + 1, rows.at(-1)?.position ?? 0)
    return { events: this.#decode(rows).filter(event => event.position > after), next, isLast }
  }

  /** Exactly `limit` readable events where the log has them, so that a shorter answer means the end. */
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
    const events: StoredEvent[] = []
    for (const row of rows) {
      const event = decodeEvent(row)
      if (event) events.push(event)
      else if (this.#badPositions.size < REMEMBERED_BAD_ROWS) this.#badPositions.add(row.position)
    }
    return events
  }
}
