/**
 * Fields that hold a moment, wherever they stand. Inside they are milliseconds since the epoch; over HTTP they are RFC 3339, unless the
 * caller asks for milliseconds (`X-Signalbox-Time: ms`, as our own command line does). The schemas are checked against this list.
 */
export const TIME_FIELDS: ReadonlySet<string> = new Set([
  'at',
  'lastAt',
  'now',
  'since',
  'until',
  'startedAt',
  'startAt',
  'endedAt',
  'updatedAt',
  'createdAt',
  'requestedAt',
  'decidedAt',
  'appliedAt',
  'expiresAt',
  'usedAt',
  'lastUsedAt',
  'wakeAt',
  'waitedSince',
  'openedAt',
  'confirmedAt',
  'validatedAt',
  'readAt',
  'madeAt',
  'trustedAt',
  'modifiedAt',
  'storedAt',
  'lockdownSince',
])

export type TimeForm = 'rfc3339' | 'ms'

/** JSON of an answer or an event, with its moments in the asked form. */
export function toJson(value: unknown, form: TimeForm): string {
  return form === 'ms' ? JSON.stringify(value) : JSON.stringify(value, asMoment)
}

function asMoment(key: string, value: unknown): unknown {
  if (typeof value !== 'number' || !TIME_FIELDS.has(key) || !Number.isFinite(value)) return value
  return new Date(value).toISOString()
}
