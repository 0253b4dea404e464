import { SignalboxError } from '../errors/index.js'
import { writeJson } from '../text/index.js'
import type { NewEvent } from './event-store.js'

/** Large data (output, recordings, plans) is stored in files that events refer to. */
export const EVENT_DATA_LIMIT_BYTES = 256 * 1024
const NAME_LIMIT = 512
/** NUL and lone surrogates, which a database cannot store as text. */
const NOT_TEXT = /[\0\p{Surrogate}]/u

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
  if (!Number.isFinite(at)) throw new SignalboxError('E_INPUT', `the time of ${event.type} is not a number: ${at}`)
  if (!isRecord(event.data)) throw new SignalboxError('E_INPUT', `the data of ${event.type} is not an object`)
  validate?.(event.type, event.data)
  const data = encodeJson(`the data of ${event.type}`, event.data)
  const bytes = Buffer.byteLength(data)
  if (bytes > EVENT_DATA_LIMIT_BYTES) {
    throw new SignalboxError(
      'E_TOO_LARGE',
      `the data of ${event.type} is ${bytes} bytes long; the limit is ${EVENT_DATA_LIMIT_BYTES}`,
      {
        details: { type: event.type, bytes, limit: EVENT_DATA_LIMIT_BYTES },
      },
    )
  }
  return { type: event.type, at: Math.round(at), data, given: event.data }
}

export function encodeJson(what: string, value: unknown): string {
  let text: string | undefined
  let cause: unknown
  try {
    text = writeJson(value)
  } catch (error) {
    cause = error
  }
  if (text === undefined) throw new SignalboxError('E_INPUT', `${what} cannot be written as JSON`, { cause })
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
  if (typeof name === 'string' && name.length > 0 && name.length <= NAME_LIMIT && !NOT_TEXT.test(name)) return
  const shown = typeof name === 'string' ? JSON.stringify(name.slice(0, 80)) : typeof name
  throw new SignalboxError(
    'E_INPUT',
    `the ${what} must be a text of 1 to ${NAME_LIMIT} characters without NUL, not ${shown}`,
  )
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
