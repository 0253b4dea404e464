/**
 * Fields that hold a moment, at any depth. Inside the program they are milliseconds since the
 * epoch; over HTTP they are RFC 3339, unless the caller asks for milliseconds (`X-Signalbox-Time:
 * ms`, as the command line does). The schemas are checked against this list.
 */
const FIELDS = [
  'at',
  'lastAt',
  'now',
  'since',
  'until',
  'startedAt',
  'activeAt',
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
  'retryAt',
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
  'awaySince',
  'nextAt',
] as const

export const TIME_FIELDS: ReadonlySet<string> = new Set(FIELDS)

type TimeField = (typeof FIELDS)[number]

/**
 * An answer as a caller that asks for milliseconds gets it: a field is absent or has a value,
 * because JSON has no `undefined`.
 */
export type InMilliseconds<T> = T extends readonly unknown[] | object
  ? {
      [K in keyof T]: K extends TimeField
        ? Milliseconds<Exclude<T[K], undefined>>
        : InMilliseconds<Exclude<T[K], undefined>>
    }
  : T

type Milliseconds<T> = T extends string ? number : InMilliseconds<T>

/** What `toJson` accepts for an answer of type T: the same, with times in milliseconds. */
export type Sendable<T> = T extends readonly unknown[] | object
  ? { readonly [K in keyof T]: K extends TimeField ? SendableMoment<T[K]> : Sendable<T[K]> }
  : T

type SendableMoment<T> = T extends string ? number : Sendable<T>

export type TimeForm = 'rfc3339' | 'ms'

/** JSON of an answer or event, times in the caller's form, secrets removed by `clean`. */
export function toJson(value: unknown, form: TimeForm, clean?: (text: string) => string): string {
  if (form === 'ms' && !clean) return JSON.stringify(value)
  return JSON.stringify(value, (key, part: unknown) => {
    if (typeof part === 'string') return clean ? clean(part) : part
    const isMoment = form !== 'ms' && typeof part === 'number' && TIME_FIELDS.has(key) && Number.isFinite(part)
    return isMoment ? new Date(part as number).toISOString() : part
  })
}
