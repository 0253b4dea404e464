import { SignalboxError } from '../errors/index.js'
import type { FieldTest, Projection, Scalar } from './event-store.js'

/*
 * Fields by which documents are found, as every backend stores them: a value is its JSON text, so
 * that values of all types are compared alike, and a number is stored as a number, too, for ranges.
 */

const FIELDS_MAX = 6

export interface IndexedField {
  field: string
  value: string
  number: number | null
}

/** @throws SignalboxError `E_INPUT` if the projection declares too many fields or other values. */
export function indexFields(projection: Projection, state: unknown): IndexedField[] {
  if (state === null || !projection.index) return []
  const fields = Object.entries(projection.index(state))
  if (fields.length > FIELDS_MAX)
    throw new SignalboxError(
      'E_INPUT',
      `the projection ${projection.name} indexes ${fields.length} fields; the limit is ${FIELDS_MAX}`,
    )
  return fields.map(([field, value]) => {
    if (!isScalar(value))
      throw new SignalboxError('E_INPUT', `the field ${field} of the projection ${projection.name} is not a scalar`)
    return { field, value: valueText(value), number: typeof value === 'number' ? value : null }
  })
}

/** A test of one field, as values to compare with or as the highest number. */
export type StoredTest = { field: string; values: string[] } | { field: string; atMost: number }

export function storedTests(where: Readonly<Record<string, FieldTest>> = {}): StoredTest[] {
  return Object.entries(where).map(([field, test]) => {
    if (isScalar(test)) return { field, values: [valueText(test)] }
    if ('atMost' in test) return { field, atMost: test.atMost }
    return { field, values: test.map(valueText) }
  })
}

export function isSameIndex(a: readonly IndexedField[], b: readonly IndexedField[]): boolean {
  return a.length === b.length && a.every(({ field, value }, at) => b[at]?.field === field && b[at].value === value)
}

function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

function valueText(value: Scalar): string {
  return JSON.stringify(value)
}
