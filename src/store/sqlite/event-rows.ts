import { crc32 } from 'node:zlib'
import { SignalboxError } from '../../errors/index.js'
import { writeJson } from '../../text/index.js'
import type { NewEvent, StoredEvent } from '../event-store.js'
import { unpackText } from './packed-text.js'

/** Large data (output, recordings, plans) is stored in files that events refer to. */
const EVENT_DATA_LIMIT_BYTES = 256 * 1024
const NAME_LIMIT = 512

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

export type EventValidator = (type: string, data: Record<string, unknown>) => void

/** A validated, serialized event: nothing about it can fail in the transaction. */
export interface EncodedEvent {
  type: string
  at: number
  data: string
  /** The original data of the text. */
  given: Record<string, unknown>
}

export function encodeEvent(event: NewEvent, now: number, validate: EventValidator | undefined): EncodedEvent {
  checkName('type of an event', event.type)
  const at = event.at ?? now
  if (!Number.isFinite(at)) throw new SignalboxError('E_INPUT', `The time of ${event.type} is not a number: ${at}.`)
  if (!isRecord(event.data)) throw new SignalboxError('E_INPUT', `The data of ${event.type} is not an object.`)
  validate?.(event.type, event.data)
  const data = encodeJson(`The data of ${event.type}`, event.data)
  const bytes = Buffer.byteLength(data)
  if (bytes > EVENT_DATA_LIMIT_BYTES) {
    throw new SignalboxError(
      'E_TOO_LARGE',
      `The data of ${event.type} is ${bytes} bytes long; the limit is ${EVENT_DATA_LIMIT_BYTES}.`,
      {
        details: { type: event.type, bytes, limit: EVENT_DATA_LIMIT_BYTES },
      },
    )
  }
  return { type: event.type, at: Math.round(at), data, given: event.data }
}

/** Returns null for a row whose content does not match its checksum. */
export function decodeEvent(row: EventRow): StoredEvent | null {
  const { position, stream, version, type, at } = row
  // A damaged page may contain anything.
  if (!(typeof row.data === 'string' || row.data instanceof Uint8Array) || row.sum !== sumOf(row)) return null
  const data = decodeJson(textOf(row) ?? '')
  return isRecord(data) ? { position, stream, version, type, at, data } : null
}

export function textOf({ data }: Pick<EventRow, 'data'>): string | null {
  return unpackText(data, 2 * EVENT_DATA_LIMIT_BYTES)
}

/** SQLite has no page checksums: a flipped bit in valid JSON would go unnoticed. */
export function sumOf(row: Omit<EventRow, 'sum'>): number {
  return crc32(row.data, crc32(`${row.position}\n${row.stream}\n${row.version}\n${row.type}\n${row.at}\n`))
}

export function encodeJson(what: string, value: unknown): string {
  let text: string | undefined
  let cause: unknown
  try {
    text = writeJson(value)
  } catch (error) {
    cause = error
  }
  if (text === undefined) throw new SignalboxError('E_INPUT', `${what} cannot be written as JSON.`, { cause })
  return text
}

/** `undefined`, which JSON does not have, means that the text is not JSON. */
export function decodeJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function checkName(what: string, name: unknown): asserts name is string {
  if (typeof name === 'string' && name.length > 0 && name.length <= NAME_LIMIT && !name.includes('\0')) return
  const shown = typeof name === 'string' ? JSON.stringify(name.slice(0, 80)) : typeof name
  throw new SignalboxError(
    'E_INPUT',
    `The ${what} must be a text of 1 to ${NAME_LIMIT} characters without NUL, not ${shown}.`,
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
