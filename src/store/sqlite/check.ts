import type { StoreProblem } from '../event-store.js'
import type { Connection } from './connection.js'
import { decodeEvent, EVENT_COLUMNS, type EventRow } from './event-rows.js'

const BATCH = 1_000
/** Limit per kind of problem: a thousand bad rows are one thing to fix. */
const SHOWN = 100

const GAPS = `SELECT stream, version, before FROM (
    SELECT stream, version, lag(version, 1, 0) OVER (PARTITION BY stream ORDER BY version) AS before FROM events
  ) AS step WHERE version <> before + 1
  AND NOT EXISTS (SELECT 1 FROM gaps WHERE gaps.stream = step.stream AND gaps.version = step.version) LIMIT ${SHOWN}`

const BAD_DOCUMENTS = `SELECT projection, key FROM documents WHERE NOT json_valid(state) LIMIT ${SHOWN}`
const BAD_SNAPSHOTS = `SELECT key FROM snapshots WHERE NOT json_valid(state) LIMIT ${SHOWN}`
const DOCUMENTS_AHEAD = `SELECT projection, key, position FROM documents AS d WHERE position >
  (SELECT coalesce(max(position), 0) FROM projections AS p WHERE p.name = d.projection) LIMIT ${SHOWN}`
const PROJECTIONS = `SELECT name, failures, position > (SELECT coalesce(max(position), 0) FROM events) AS isAhead FROM projections`

/** Checks are independent: one that cannot read the file is a finding. */
export async function checkStore(connection: Connection): Promise<StoreProblem[]> {
  const checks = [checkPages, checkEvents, checkGaps, checkDocuments, checkSnapshots]
  const problems: StoreProblem[] = []
  for (const check of checks) {
    try {
      problems.push(...(await check(connection)))
    } catch (error) {
      problems.push({ message: error instanceof Error ? error.message : String(error) })
    }
  }
  return problems
}

async function checkPages(connection: Connection): Promise<StoreProblem[]> {
  const rows = await connection.read(() => connection.all<{ quick_check: string }>(`PRAGMA quick_check(${SHOWN})`))
  return rows
    .filter(row => row.quick_check !== 'ok')
    .map(row => ({ message: row.quick_check, location: connection.path }))
}

async function checkEvents(connection: Connection): Promise<StoreProblem[]> {
  const sql = `SELECT ${EVENT_COLUMNS} FROM events WHERE position > ? ORDER BY position LIMIT ?`
  const problems: StoreProblem[] = []
  for (let cursor = 0, isLast = false; !isLast; ) {
    const rows = await connection.read(() => connection.all<EventRow>(sql, cursor, BATCH))
    for (const row of rows) {
      if (problems.length >= SHOWN) return problems
      if (decodeEvent(row)) continue
      const message = `event ${row.version} of ${row.stream} (${row.type}) is damaged and is skipped when reading`
      problems.push({ message, location: `position ${row.position}` })
    }
    isLast = rows.length < BATCH
    // In a damaged file rows may come in any order; the cursor advances anyway.
    cursor = Math.max(cursor + 1, rows.at(-1)?.position ?? 0)
    await new Promise(resolve => setImmediate(resolve))
  }
  return problems
}

async function checkGaps(connection: Connection): Promise<StoreProblem[]> {
  const rows = await connection.read(() => connection.all<{ stream: string; version: number; before: number }>(GAPS))
  return rows.map(({ stream, version, before }) => ({
    message: `the stream ${stream} jumps from version ${before} to ${version}`,
    location: stream,
  }))
}

async function checkDocuments(connection: Connection): Promise<StoreProblem[]> {
  return connection.read(() => [
    ...connection.all<{ projection: string; key: string }>(BAD_DOCUMENTS).map(({ projection, key }) => ({
      message: `the document ${key} of ${projection} is damaged`,
      location: `documents ${projection}`,
    })),
    ...connection.all<{ projection: string; key: string; position: number }>(DOCUMENTS_AHEAD).map(row => ({
      message: `the document ${row.key} of ${row.projection} is at position ${row.position}, ahead of its projection`,
      location: `documents ${row.projection}`,
    })),
    ...connection.all<{ name: string; failures: number; isAhead: number }>(PROJECTIONS).flatMap(projectionProblems),
  ])
}

function projectionProblems({
  name,
  failures,
  isAhead,
}: {
  name: string
  failures: number
  isAhead: number
}): StoreProblem[] {
  const location = `projections ${name}`
  const problems: StoreProblem[] = []
  if (failures > 0) problems.push({ message: `the projection ${name} could not fold ${failures} events`, location })
  if (isAhead) problems.push({ message: `the projection ${name} is ahead of the log`, location })
  return problems
}

async function checkSnapshots(connection: Connection): Promise<StoreProblem[]> {
  const rows = await connection.read(() => connection.all<{ key: string }>(BAD_SNAPSHOTS))
  return rows.map(({ key }) => ({
    message: `the snapshot ${key} is damaged and will not be used`,
    location: `snapshots ${key}`,
  }))
}
