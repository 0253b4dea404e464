import { CHAIN_START, type ChainEnd, checkChain } from '../chain.js'
import { decodeJson } from '../encode-event.js'
import type { ChainProblem } from '../event-store.js'
import type { Connection } from './connection.js'
import { decodeEvent, EVENT_COLUMNS, type EventRow, textOf } from './event-rows.js'

const META_KEY = 'chain'
const BATCH = 1_000

export function readChainEnd(connection: Connection): ChainEnd | null {
  const row = connection.get<{ value: string }>('SELECT value FROM meta WHERE key = ?', META_KEY)
  return row ? (decodeJson(row.value) as ChainEnd) : null
}

export function writeChainEnd(connection: Connection, end: ChainEnd): void {
  connection.run('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)', META_KEY, JSON.stringify(end))
}

/** Inside a transaction: chains these streams from now on, or from the salvaged value. */
export function declareChained(connection: Connection, streams: readonly string[]): void {
  const end = readChainEnd(connection)
  if (end && streams.every(stream => end.streams.includes(stream))) return
  const all = [...new Set([...(end?.streams ?? []), ...streams])]
  writeChainEnd(connection, end ? { ...end, streams: all } : lastChained(connection, all))
}

/** Verifies the chain of the file. */
export async function checkFileChain(connection: Connection): Promise<ChainProblem[]> {
  const end = await connection.read(() => readChainEnd(connection))
  if (!end) return []
  return checkChain(end, async (after, limit) => {
    const rows = await connection.read(() => connection.all<EventRow>(rowsOf(end), after, limit))
    return rows.map(row => {
      const { position, stream, version } = row
      return { position, stream, version, event: decodeEvent(row), text: textOf(row) ?? '' }
    })
  })
}

function lastChained(connection: Connection, streams: readonly string[]): ChainEnd {
  const empty = { streams, value: CHAIN_START, position: 0 }
  const sql = `SELECT ${EVENT_COLUMNS} FROM events WHERE ${prefixTest(streams)} ORDER BY position DESC LIMIT ?`
  for (const row of connection.all<EventRow>(sql, BATCH)) {
    const chain = decodeEvent(row)?.data.chain
    if (typeof chain === 'string') return { streams, value: chain, position: row.position }
  }
  return empty
}

function rowsOf({ streams }: ChainEnd): string {
  return `SELECT ${EVENT_COLUMNS} FROM events WHERE position > ? AND (${prefixTest(streams)}) ORDER BY position LIMIT ?`
}

/**
 * Prefixes come from our own code; quotes are still doubled, because one would end the SQL string.
 */
function prefixTest(streams: readonly string[]): string {
  return streams.map(prefix => `substr(stream, 1, ${prefix.length}) = '${prefix.replaceAll("'", "''")}'`).join(' OR ')
}
