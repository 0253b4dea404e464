import { crc32 } from 'node:zlib'
import { decodeJson, EVENT_DATA_LIMIT_BYTES, isRecord } from '../encode-event.js'
import type { StoredEvent } from '../event-store.js'
import { decompressText } from './compressed-text.js'

export interface EventRow {
  position: number
  stream: string
  version: number
  type: string
  at: number
  /** JSON; long texts are compressed, as bytes. */
  data: string | Uint8Array
  sum: number
}

/**
 * The columns of an EventRow. Numbers are clamped to the range of JavaScript, because the driver
 * throws for others: a damaged number must lead to a checksum mismatch, not to an error that hides
 * the good rows around it.
 */
export const EVENT_COLUMNS = ['version', 'at', 'sum']
  .map(column => `max(min(${column}, ${Number.MAX_SAFE_INTEGER}), ${Number.MIN_SAFE_INTEGER}) AS ${column}`)
  .concat('position', 'stream', 'type', 'data')
  .join(', ')

/** Returns null for a row whose content does not match its checksum. */
export function decodeEvent(row: EventRow): StoredEvent | null {
  const { position, stream, version, type, at } = row
  // A damaged page may contain anything.
  if (!(typeof row.data === 'string' || row.data instanceof Uint8Array) || row.sum !== sumOf(row)) return null
  const data = decodeJson(textOf(row) ?? '')
  return isRecord(data) ? { position, stream, version, type, at, data } : null
}

export function textOf({ data }: Pick<EventRow, 'data'>): string | null {
  return decompressText(data, 2 * EVENT_DATA_LIMIT_BYTES)
}

/** SQLite has no page checksums: a flipped bit in valid JSON would go unnoticed. */
export function sumOf(row: Omit<EventRow, 'sum'>): number {
  return crc32(row.data, crc32(`${row.position}\n${row.stream}\n${row.version}\n${row.type}\n${row.at}\n`))
}
