import { createHash } from 'node:crypto'
import { canonicalJson } from '../../text/index.js'
import type { ChainProblem } from '../event-store.js'
import type { Connection } from './connection.js'
import { decodeEvent, decodeJson, EVENT_COLUMNS, type EventRow, textOf } from './event-rows.js'

/**
 * Streams whose events cannot be changed or removed unnoticed. Each of their events carries
 * `chain`: the SHA-256 of the previous chain value and of its own canonical text. The newest value
 * is stored in `meta` and updated in the transaction of the append, under the file's write lock:
 * two processes cannot both follow the same value. The list of chained streams is stored there too,
 * so that a program that does not know about chains still maintains them.
 *
 * What it proves: the log was not edited by a program that does not know the rule. An attacker who
 * can write the file and knows the rule can create a complete new chain; to detect that, keep a
 * copy of a value elsewhere.
 */
export interface ChainEnd {
  streams: readonly string[]
  value: string
  /** Position of the newest chained event; 0 if there is none. */
  position: number
}

const CHAIN_START = '0'.repeat(64)
const META_KEY = 'chain'
const BATCH = 1_000
const SHOWN = 20

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

export function isChained(end: ChainEnd | null, stream: string): end is ChainEnd {
  return end?.streams.some(prefix => stream.startsWith(prefix)) ?? false
}

/** The content of an event, without its position in the log and without the chain value. */
export interface ChainedText {
  stream: string
  version: number
  type: string
  at: number
  /** Canonical JSON of the data, without `chain`. */
  canonical: string
}

export function chainValue(previous: string, { stream, version, type, at, canonical }: ChainedText): string {
  return createHash('sha256')
    .update(`${previous}\n${stream}\n${version}\n${type}\n${at}\n${canonical}`, 'utf8')
    .digest('hex')
}

/** From the stored text, so that reading it back later gives the same. */
export function canonicalText(data: string): string {
  const { chain: _, ...rest } = decodeJson(data) as Record<string, unknown>
  return canonicalJson(rest)
}

export function withChain(data: string, value: string): string {
  return `${data.slice(0, -1)}${data.length > 2 ? ',' : ''}"chain":"${value}"}`
}

/** Verifies the chain from its first event, and reports every break. */
export async function checkChain(connection: Connection): Promise<ChainProblem[]> {
  const end = await connection.read(() => readChainEnd(connection))
  if (!end) return []
  const problems: ChainProblem[] = []
  let previous = CHAIN_START
  let last = 0
  for (let cursor = 0, isLast = false; !isLast && problems.length < SHOWN; ) {
    const rows = await connection.read(() => connection.all<EventRow>(rowsOf(end), cursor, BATCH))
    for (const row of rows) {
      const event = decodeEvent(row)
      const said = event?.data.chain
      const place = { position: row.position, stream: row.stream, version: row.version }
      if (typeof said !== 'string') {
        // Events from before the chain started have no value; after it started, one without a value
        // was inserted by another program.
        if (last > 0)
          problems.push({ ...place, message: `Event ${row.version} of ${row.stream} is not part of the chain.` })
        continue
      }
      const { stream, version, type, at } = event!
      const isWhole =
        said === chainValue(previous, { stream, version, type, at, canonical: canonicalText(textOf(row) ?? '') })
      if (!isWhole)
        problems.push({
          ...place,
          message: `The chain breaks at event ${version} of ${stream} (${type}): this event or an earlier one was changed or removed.`,
        })
      previous = said
      last = row.position
    }
    isLast = rows.length < BATCH
    cursor = Math.max(cursor + 1, rows.at(-1)?.position ?? 0)
  }
  if (problems.length === 0 && previous !== end.value)
    problems.push({
      message: 'The newest events of the ledger are missing.',
      position: end.position,
      stream: '',
      version: 0,
    })
  return problems
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
