import type { Database } from './driver.js'
import { decodeEvent, EVENT_COLUMNS, type EventRow } from './event-rows.js'
import { isCorrupt } from './sqlite-errors.js'

export interface SalvageCounts {
  /** Events in the new file. */
  events: number
  /** Rows that were found but damaged. */
  damaged: number
  /** Streams with at least one lost event in the middle. */
  brokenStreams: number
}

const BATCH = 200
const SELECT = `SELECT ${EVENT_COLUMNS} FROM events WHERE position > ? ORDER BY position LIMIT ?`
const INSERT =
  'INSERT OR IGNORE INTO events (position, stream, version, type, at, data, sum) VALUES (?, ?, ?, ?, ?, ?, ?)'
const RECORD_GAPS = `INSERT INTO gaps SELECT stream, version FROM (
    SELECT stream, version, lag(version, 1, 0) OVER (PARTITION BY stream ORDER BY version) AS before FROM events
  ) WHERE version <> before + 1`

/** If the log's size is unreadable, the search ends this far after the last row. */
const SEARCH_PAST_END = 1_000_000

/**
 * Copies every readable event, with its position and version, into an empty store. Snapshots and
 * documents are not copied: both are rebuilt from events. Streams with lost events have gaps, which
 * are recorded so that `check()` distinguishes old losses from new ones.
 */
export function salvage(from: Database, to: Database): SalvageCounts {
  const insert = to.prepare(INSERT)
  const damaged = new Set<number>()
  const end = lastPosition(from)
  let cursor = 0
  let lastGood = 0
  to.exec('BEGIN IMMEDIATE')
  while (cursor < (end ?? lastGood + SEARCH_PAST_END)) {
    const rows = readAfter(from, cursor, BATCH)
    if (rows?.length === 0) break
    if (rows === null) {
      cursor = firstReadableAfter(from, cursor, end ?? lastGood + SEARCH_PAST_END)
      continue
    }
    // Only the position of a row with a correct checksum may advance the cursor by more than one.
    cursor += 1
    for (const row of rows) {
      if (decodeEvent(row) === null) damaged.add(row.position)
      else {
        insert.run(row.position, row.stream, row.version, row.type, row.at, row.data, row.sum)
        cursor = lastGood = Math.max(cursor, row.position)
      }
    }
  }
  to.exec(RECORD_GAPS)
  const counted = to
    .prepare('SELECT count(*) AS events, (SELECT count(DISTINCT stream) FROM gaps) AS brokenStreams FROM events')
    .get()
  to.exec('COMMIT')
  return { ...(counted as { events: number; brokenStreams: number }), damaged: damaged.size }
}

/** Null if a page is damaged; reading row by row then saves those before it. */
function readAfter(database: Database, after: number, limit: number): EventRow[] | null {
  try {
    return database.prepare(SELECT).all(after, limit) as EventRow[]
  } catch (error) {
    if (!isCorrupt(error)) throw error
    return limit === 1 ? null : readAfter(database, after, 1)
  }
}

/** Skips a damaged page: doubles the step until rows are readable, then halves it. */
function firstReadableAfter(database: Database, after: number, end: number): number {
  let bad = after
  let good = after
  for (let step = 1; ; step *= 2) {
    good = after + step
    if (good >= end) return end
    if (readAfter(database, good, 1) !== null) break
    bad = good
  }
  while (good - bad > 1) {
    const middle = Math.floor((bad + good) / 2)
    if (readAfter(database, middle, 1) === null) bad = middle
    else good = middle
  }
  return good
}

function lastPosition(database: Database): number | null {
  for (const sql of [
    "SELECT seq AS last FROM sqlite_sequence WHERE name = 'events'",
    'SELECT max(position) AS last FROM events',
  ]) {
    try {
      const row = database.prepare(sql).get() as { last: number | null } | undefined
      if (typeof row?.last === 'number') return row.last
    } catch (error) {
      if (!isCorrupt(error)) throw error
    }
  }
  return null
}
