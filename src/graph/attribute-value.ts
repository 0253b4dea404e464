import { type AttributeSpec, type AttributeType, FIDELITIES } from './attribute-table.js'
import { parseCondition } from './condition.js'
import { type Attributes, textOf } from './graph.js'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * A duration in milliseconds; a number without a unit means seconds. Null if it is not a duration.
 */
function durationOf(value: string): number | null {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(value.trim())
  return match ? Number(match[1]) * UNITS[match[2] ?? 's']! : null
}

export function namesOf(value: string): string[] {
  return value.split(/[\s,]+/).filter(name => name !== '')
}

/** What is wrong with a value, or null. Whether a named node exists is for the linter. */
export function valueProblem(value: string, type: AttributeType): string | null {
  switch (type.is) {
    case 'text':
    case 'names':
    case 'node':
      return null
    case 'integer':
    case 'number': {
      const number = Number(value)
      if (value.trim() === '' || !Number.isFinite(number)) return `expected a number, found ${quote(value)}`
      if (type.is === 'integer' && !Number.isInteger(number)) return `expected a whole number, found ${quote(value)}`
      if (type.min !== undefined && number < type.min) return `must be at least ${type.min}`
      if (type.max !== undefined && number > type.max) return `must be at most ${type.max}`
      return null
    }
    case 'boolean':
      return value === 'true' || value === 'false' ? null : `expected true or false, found ${quote(value)}`
    case 'duration':
      return durationOf(value) === null ? `expected a time such as 90s or 5m, found ${quote(value)}` : null
    case 'one-of':
      return type.of.includes(value) ? null : `expected one of ${type.of.join(', ')}, found ${quote(value)}`
    case 'fidelity':
      return (FIDELITIES as readonly string[]).includes(value)
        ? null
        : `expected one of ${FIDELITIES.join(', ')}, found ${quote(value)}`
    case 'condition': {
      const parsed = parseCondition(value)
      return 'problem' in parsed ? `${parsed.problem.message}; ${parsed.problem.hint}` : null
    }
  }
}

function quote(value: string): string {
  return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
}

/** Typed access to attributes: the value, else the table's default; invalid is absent. */
export class AttributeReader {
  readonly #attributes: Attributes
  readonly #table: Readonly<Record<string, AttributeSpec>>

  constructor(attributes: Attributes, table: Readonly<Record<string, AttributeSpec>>) {
    this.#attributes = attributes
    this.#table = table
  }

  text(key: string): string | null {
    const spec = this.#table[key]
    const value = textOf(this.#attributes, key, ...(spec?.aliases ?? []))
    if (value === null || (spec && valueProblem(value, spec.type) !== null)) return spec?.default ?? null
    return value
  }

  number(key: string): number | null {
    const value = this.text(key)
    return value === null ? null : Number(value)
  }

  isTrue(key: string): boolean {
    return this.text(key) === 'true'
  }

  durationMs(key: string): number | null {
    const value = this.text(key)
    return value === null ? null : durationOf(value)
  }

  names(key: string): string[] {
    return namesOf(this.text(key) ?? '')
  }
}
