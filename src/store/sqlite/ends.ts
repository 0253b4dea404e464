import type { ChainEnd } from '../chain.js'
import { decodeJson } from '../encode-event.js'
import type { Connection } from './connection.js'

/** The current positions and versions when an append starts. */
export interface Ends {
  chain: ChainEnd | null
  /** The position of the newest event. */
  last: number
  stream: { version: number; position: number }
  /** The holder of the lease under which the append is made. */
  lease: { owner: string; epoch: number } | null
}

interface EndsRow {
  chain: string | null
  last: number | null
  version: number | null
  position: number | null
  owner: string | null
  epoch: number | null
}

const READ_ENDS = `SELECT
  (SELECT value FROM meta WHERE key = 'chain') AS chain,
  (SELECT max(position) FROM events) AS last,
  newest.version, newest.position, leases.owner, leases.epoch
  FROM (SELECT 1)
  LEFT JOIN (SELECT version, position FROM events WHERE stream = ? ORDER BY version DESC LIMIT 1) AS newest
  LEFT JOIN leases ON leases.key = ?`

/** One query instead of four: most appends are so small that the queries dominate their cost. */
export function readEnds(connection: Connection, stream: string, leaseKey: string | null): Ends {
  const row = connection.get<EndsRow>(READ_ENDS, stream, leaseKey ?? '')
  return {
    chain: row?.chain ? (decodeJson(row.chain) as ChainEnd) : null,
    last: row?.last ?? 0,
    stream: { version: row?.version ?? 0, position: row?.position ?? 0 },
    lease: row?.owner == null || row.epoch === null ? null : { owner: row.owner, epoch: row.epoch },
  }
}
