import type { StoreProblem } from '../event-store.js'
import type { Connections } from './connections.js'

/** Limit per kind of problem: a thousand bad rows are one thing to fix. */
const SHOWN = 100

const GAPS = `SELECT stream, version, before FROM (
    SELECT stream, version, lag(version, 1, 0::bigint) OVER (PARTITION BY stream ORDER BY version) AS before FROM events
  ) AS step WHERE version <> before + 1 LIMIT ${SHOWN}`
const HOLES = `SELECT position, before FROM (
    SELECT position, lag(position, 1, 0::bigint) OVER (ORDER BY position) AS before FROM events
  ) AS step WHERE position <> before + 1 LIMIT ${SHOWN}`
const END = 'SELECT position, (SELECT coalesce(max(position), 0) FROM events) AS last FROM log_end'
const FAILURES = 'SELECT name, failures FROM projections WHERE failures > 0'

/**
 * Checks what the database does not guarantee by itself. Its pages have checksums of their own. A
 * log that was moved here may have gaps that its salvage recorded.
 */
export async function checkPostgres(connections: Connections): Promise<StoreProblem[]> {
  const gaps = await connections.read<{ stream: string; version: number; before: number }>(GAPS)
  const holes = await connections.read<{ position: number; before: number }>(HOLES)
  const [end] = await connections.read<{ position: number; last: number }>(END)
  const failures = await connections.read<{ name: string; failures: number }>(FAILURES)
  return [
    ...gaps.map(({ stream, version, before }) => ({
      message: `The stream ${stream} jumps from version ${before} to ${version}.`,
      place: stream,
    })),
    ...holes.map(({ position, before }) => ({
      message: `The log jumps from position ${before} to ${position}.`,
      place: `position ${position}`,
    })),
    ...(end && end.position !== end.last
      ? [{ message: `The log ends at position ${end.last}, not at ${end.position}.`, place: 'log_end' }]
      : []),
    ...failures.map(({ name, failures: count }) => ({
      message: `The projection ${name} could not fold ${count} events.`,
      place: `projections ${name}`,
    })),
  ]
}
