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

/** JSON of an answer or an event, with its moments in the asked form, and its texts cleaned where that is asked for. */
export function toJson(value: unknown, form: TimeForm, clean?: (text: string) => string): string {
  if (form === 'ms' && !clean) return JSON.stringify(value)
  return JSON.stringify(value, (key, part: unknown) => {
    if (typeof part === 'string') return clean ? clean(part) : part
    const isMoment = form !== 'ms' && typeof part === 'number' && TIME_FIELDS.has(key) && Number.isFinite(part)
    return isMoment ? new Date(part as number).toISOString() : part
  })
}
