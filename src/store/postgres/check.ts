import type { StoreProblem } from '../event-store.js'
import type { Connections } from './connections.js'
import { REPLICATION, type ReplicationState, replicationProblem } from './replication.js'

/** Limit per kind of problem: a thousand bad rows are one thing to fix. */
const SHOWN = 100

/** Events that were moved here may have gaps, which were known where they came from. */
const MOVED = "coalesce((SELECT value::bigint FROM meta WHERE key = 'moved_position'), 0)"
const GAPS = `SELECT stream, version, before FROM (
    SELECT stream, version, position, lag(version, 1, 0::bigint) OVER (PARTITION BY stream ORDER BY version) AS before FROM events
  ) AS step WHERE version <> before + 1 AND position > ${MOVED} LIMIT ${SHOWN}`
const HOLES = `SELECT position, before FROM (
    SELECT position, lag(position, 1, 0::bigint) OVER (ORDER BY position) AS before FROM events
  ) AS step WHERE position <> before + 1 AND position > ${MOVED} LIMIT ${SHOWN}`
const END = 'SELECT position, (SELECT coalesce(max(position), 0) FROM events) AS last FROM log_end'
const FAILURES = 'SELECT name, failures FROM projections WHERE failures > 0'

/** Checks what the database does not guarantee by itself. Its pages have checksums of their own. */
export async function checkPostgres(connections: Connections): Promise<StoreProblem[]> {
  const gaps = await connections.read<{ stream: string; version: number; before: number }>(GAPS)
  const holes = await connections.read<{ position: number; before: number }>(HOLES)
  const [end] = await connections.read<{ position: number; last: number }>(END)
  const failures = await connections.read<{ name: string; failures: number }>(FAILURES)
  const [replication] = await connections.read<ReplicationState>(REPLICATION)
  const atFailover = replicationProblem(replication!)
  return [
    ...(atFailover ? [atFailover] : []),
    ...gaps.map(({ stream, version, before }) => ({
      message: `the stream ${stream} jumps from version ${before} to ${version}`,
      location: stream,
    })),
    ...holes.map(({ position, before }) => ({
      message: `the log jumps from position ${before} to ${position}`,
      location: `position ${position}`,
    })),
    ...(end && end.position !== end.last
      ? [{ message: `the log ends at position ${end.last}, not at ${end.position}`, location: 'log_end' }]
      : []),
    ...failures.map(({ name, failures: count }) => ({
      message: `the projection ${name} could not fold ${count} events`,
      location: `projections ${name}`,
    })),
  ]
}
