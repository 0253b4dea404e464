import { type Clause, type Condition, clausesOf, isNumber } from './condition.js'
import { bareKey } from './context-keys.js'

/** Where a condition looks up its keys. */
export interface ConditionScope {
  /** The outcome of the node just finished: its custom word, else its status. */
  outcome: string
  preferredLabel: string
  context: Readonly<Record<string, unknown>>
}

export interface ConditionResult {
  isTrue: boolean
  /** Every key with the value it had, for explanations. */
  saw: { key: string; value: string }[]
}

export function evaluate(condition: Condition, scope: ConditionScope): ConditionResult {
  const saw = clausesOf(condition).map(({ key }) => ({ key, value: valueText(lookUp(key, scope)) }))
  return { isTrue: holds(condition, clause => isClauseTrue(clause, lookUp(clause.key, scope))), saw }
}

/**
 * Whether a condition can become true if the keys that are not known yet take suitable values. The
 * others have the values of the scope.
 */
export function couldHold(condition: Condition, scope: ConditionScope, isOpen: (key: string) => boolean): boolean {
  return holds(condition, clause => isOpen(clause.key) || isClauseTrue(clause, lookUp(clause.key, scope)))
}

function holds({ alternatives }: Condition, isTrue: (clause: Clause) => boolean): boolean {
  return alternatives.some(clauses => clauses.every(isTrue))
}

function isClauseTrue({ operator, literal }: Clause, value: unknown): boolean {
  const text = valueText(value)
  switch (operator) {
    case '=':
      return text === literal
    case '!=':
      return text !== literal
    case 'contains':
      return Array.isArray(value) ? value.some(item => valueText(item) === literal) : text.includes(literal)
    case 'is':
      return text !== '' && text !== 'false' && text !== '0'
    default:
      return isNumber(text) && compares(operator, Number(text), Number(literal))
  }
}

function compares(operator: '<' | '>' | '<=' | '>=', a: number, b: number): boolean {
  if (operator === '<') return a < b
  if (operator === '>') return a > b
  return operator === '<=' ? a <= b : a >= b
}

function lookUp(key: string, { outcome, preferredLabel, context }: ConditionScope): unknown {
  if (key === 'outcome') return outcome
  if (key === 'preferred_label') return preferredLabel
  return contextValue(context, key)
}

/** A value of the context: by its key, with or without `context.`, or by a path into an object. */
export function contextValue(context: Readonly<Record<string, unknown>>, key: string): unknown {
  if (Object.hasOwn(context, key)) return context[key]
  const bare = bareKey(key)
  return Object.hasOwn(context, bare) ? context[bare] : follow(context, bare)
}

/** Finds the longest key that exists, then follows a path into its value. */
function follow(context: Readonly<Record<string, unknown>>, key: string): unknown {
  const parts = key.split('.')
  for (let length = parts.length - 1; length > 0; length--) {
    const head = parts.slice(0, length).join('.')
    if (!Object.hasOwn(context, head)) continue
    let value: unknown = context[head]
    for (const part of parts.slice(length)) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
      value = (value as Record<string, unknown>)[part]
    }
    return value
  }
  return undefined
}

/** A value as a condition compares it. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return JSON.stringify(sorted(value))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}
