import { createHmac } from 'node:crypto'
import type { StoredEvent } from '../../store/index.js'

/** What a program of the person receives for each event. */
export interface WebhookPayload {
  /** The store and the position of the event: equal if the same event is sent again. */
  id: string
  type: string
  /** RFC 3339. */
  at: string
  /** The stream, such as `session/ses_…`. */
  subject: string
  version: number
  data: unknown
}

export function webhookPayload(
  store: string,
  { position, type, at, stream, version, data }: StoredEvent,
  redact: (value: unknown) => unknown,
): WebhookPayload {
  return {
    id: `${store}:${position}`,
    type,
    at: new Date(at).toISOString(),
    subject: stream,
    version,
    data: redact(data),
  }
}

/**
 * The headers of the Standard Webhooks specification (version 1): an id, the time in seconds, and
 * HMAC-SHA256 of `id.time.body`, so that the libraries of that specification can verify it.
 */
export function signedHeaders(
  { id, body, secret }: { id: string; body: string; secret: string | null },
  nowMs: number,
): Record<string, string> {
  const time = String(Math.floor(nowMs / 1000))
  const headers = { 'content-type': 'application/json', 'webhook-id': id, 'webhook-timestamp': time }
  if (secret === null) return headers
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret)
  const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')
  return { ...headers, 'webhook-signature': `v1,${signature}` }
}

/** `*` stands for any part of a type: `approval.*`, `run.ended`, `*`; `!…` leaves types out. */
export function isWanted(type: string, filter: readonly string[]): boolean {
  const matches = (pattern: string) =>
    new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(type)
  const [refused, wanted] = [filter.filter(word => word.startsWith('!')), filter.filter(word => !word.startsWith('!'))]
  if (refused.some(word => matches(word.slice(1)))) return false
  return wanted.length === 0 || wanted.some(matches)
}
