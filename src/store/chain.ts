import { createHash } from 'node:crypto'
import { canonicalJson } from '../text/index.js'
import { decodeJson } from './encode-event.js'
import type { ChainProblem, StoredEvent } from './event-store.js'

/**
 * Streams whose events cannot be changed or removed unnoticed. Each of their events carries
 * `chain`: the SHA-256 of the previous chain value and of its own canonical text. The newest value
 * is stored beside the log and updated in the transaction of the append, under the store's write
 * lock: two processes cannot both follow the same value. The list of chained streams is stored
 * there too, so that a program that does not know about chains still maintains them.
 *
 * What it proves: the log was not edited by a program that does not know the rule. An attacker who
 * can write the store and knows the rule can create a complete new chain; to detect that, keep a
 * copy of a value elsewhere.
 */
export interface ChainEnd {
  streams: readonly string[]
  value: string
  /** Position of the newest chained event; 0 if there is none. */
  position: number
}

export const CHAIN_START = '0'.repeat(64)
const BATCH = 1_000
const SHOWN = 20

export function isChained<End extends Pick<ChainEnd, 'streams'>>(end: End | null, stream: string): end is End {
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

/** A row of a chained stream: `event` is null if it cannot be read. */
export interface ChainedRow {
  position: number
  stream: string
  version: number
  event: StoredEvent | null
  text: string
}

/**
 * Verifies the chain from its first event, and reports every break. `read` returns rows of chained
 * streams after a position.
 */
export async function checkChain(
  end: ChainEnd,
  read: (after: number, limit: number) => Promise<ChainedRow[]>,
): Promise<ChainProblem[]> {
  const problems: ChainProblem[] = []
  let previous = CHAIN_START
  let last = 0
  for (let cursor = 0, isLast = false; !isLast && problems.length < SHOWN; ) {
    const rows = await read(cursor, BATCH)
    for (const { event, text, ...row } of rows) {
      const stored = event?.data.chain
      if (typeof stored !== 'string') {
        // Events from before the chain started have no value; after it started, one without a value
        // was inserted by another program.
        if (last > 0)
          problems.push({ ...row, message: `event ${row.version} of ${row.stream} is not part of the chain` })
        continue
      }
      const { stream, version, type, at } = event!
      const isWhole = stored === chainValue(previous, { stream, version, type, at, canonical: canonicalText(text) })
      if (!isWhole)
        problems.push({
          ...row,
          message: `the chain breaks at event ${version} of ${stream} (${type}): this event or an earlier one was changed or removed`,
        })
      previous = stored
      last = row.position
    }
    isLast = rows.length < BATCH
    cursor = Math.max(cursor + 1, rows.at(-1)?.position ?? 0)
  }
  if (problems.length === 0 && previous !== end.value)
    problems.push({
      message: 'the newest events of the ledger are missing',
      position: end.position,
      stream: '',
      version: 0,
    })
  return problems
}
