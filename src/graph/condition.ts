/** `a = x && b != "y" && c`: clauses that must all hold. An empty condition has none. */
export interface Condition {
  readonly clauses: readonly Clause[]
}

export interface Clause {
  readonly key: string
  /** `is`: the key alone, true if it has a non-empty value. */
  readonly operator: '=' | '!=' | 'is'
  readonly literal: string
}

export interface ConditionProblem {
  message: string
  hint: string
  /** Index into the text of the condition. */
  at: number
}

export type ParsedCondition = { condition: Condition } | { problem: ConditionProblem }

interface Piece {
  kind: 'word' | 'quoted' | '=' | '!=' | '&&'
  text: string
  at: number
}

const CONDITION_MAX = 1_024

/**
 * Parses a condition. Nothing is ever evaluated as code; operators of other languages are rejected
 * with a hint what to write instead.
 */
export function parseCondition(text: string): ParsedCondition {
  const known = READ.get(text)
  if (known) return known
  if (READ.size >= READ_MAX) READ.clear()
  const parsed = readCondition(text)
  READ.set(text, parsed)
  return parsed
}

/**
 * Graphs have few conditions and evaluate them often: parsed conditions are cached, up to a limit.
 */
const READ = new Map<string, ParsedCondition>()
const READ_MAX = 4_096

function readCondition(text: string): ParsedCondition {
  if (text.length > CONDITION_MAX)
    return {
      problem: {
        message: `the condition is ${text.length} characters long`,
        hint: `the limit is ${CONDITION_MAX}`,
        at: 0,
      },
    }
  if (text.trim() === '') return { condition: { clauses: [] } }
  const cut = cutPieces(text)
  if ('problem' in cut) return cut
  return readClauses(cut.pieces, text.length)
}

/** Operators and words of other languages, longest first, each with what to write here. */
const FOREIGN: readonly (readonly [sign: string, hint: string])[] = [
  ['==', 'use ='],
  ['<=', 'only = and !='],
  ['>=', 'only = and !='],
  ['||', 'write two edges'],
  ['<', 'only = and !='],
  ['>', 'only = and !='],
  ['~', 'only = and !='],
  ['|', 'write two edges'],
  ['(', 'no parentheses: write two edges, or && between clauses'],
  [')', 'no parentheses: write two edges, or && between clauses'],
]

const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  and: 'use &&',
  or: 'write two edges',
  not: 'use !=',
}

function cutPieces(text: string): { pieces: Piece[] } | { problem: ConditionProblem } {
  const pieces: Piece[] = []
  const refuse = (sign: string, hint: string, at: number) => ({
    problem: { message: `"${sign}" is not an operator`, hint, at },
  })
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at)
    if (/^\s/.test(rest)) {
      at++
      continue
    }
    if (rest.startsWith('&&') || rest.startsWith('!=')) {
      pieces.push({ kind: rest.slice(0, 2) as '&&' | '!=', text: rest.slice(0, 2), at })
      at += 2
      continue
    }
    const foreign = FOREIGN.find(([sign]) => rest.startsWith(sign))
    if (foreign) return refuse(foreign[0], foreign[1], at)
    if (rest.startsWith('=')) {
      pieces.push({ kind: '=', text: '=', at })
      at++
      continue
    }
    if (rest.startsWith('!')) return refuse('!', 'use !=', at)
    if (rest.startsWith('&')) return refuse('&', 'use &&', at)
    if (rest[0] === '"' || rest[0] === "'") {
      const end = text.indexOf(rest[0], at + 1)
      if (end < 0) return { problem: { message: 'this quote is not closed', hint: `close it with ${rest[0]}`, at } }
      pieces.push({ kind: 'quoted', text: text.slice(at + 1, end), at })
      at = end + 1
      continue
    }
    const word = /^[^\s"'=!<>|()~&]+/.exec(rest)![0]
    const hint = Object.hasOwn(FOREIGN_WORDS, word.toLowerCase()) ? FOREIGN_WORDS[word.toLowerCase()] : undefined
    if (hint !== undefined) return refuse(word, hint, at)
    pieces.push({ kind: 'word', text: word, at })
    at += word.length
  }
  return { pieces }
}

const KEY = /^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$/

function readClauses(pieces: readonly Piece[], length: number): ParsedCondition {
  const clauses: Clause[] = []
  let at = 0
  const fail = (message: string, hint: string, place: number): ParsedCondition => ({
    problem: { message, hint, at: place },
  })
  for (;;) {
    const key = pieces[at]
    if (!key || key.kind === '&&')
      return fail('a clause is empty', 'write key=value on both sides of &&', key?.at ?? length)
    if (key.kind !== 'word' || !KEY.test(key.text))
      return fail(`expected a key, found "${key.text}"`, 'a key consists of letters, digits, _ and dots', key.at)
    at++
    const operator = pieces[at]
    if (operator?.kind === '=' || operator?.kind === '!=') {
      at++
      const value = readLiteral(pieces, at)
      if (value === null)
        return fail(`expected a value after ${operator.text}`, 'an empty value is written ""', pieces[at]?.at ?? length)
      clauses.push({ key: key.text, operator: operator.kind, literal: value.text })
      at = value.next
    } else clauses.push({ key: key.text, operator: 'is', literal: '' })
    const joint = pieces[at]
    if (!joint) return { condition: { clauses } }
    if (joint.kind !== '&&')
      return fail(
        `expected && or the end, found "${joint.text}"`,
        'quote a value that contains such characters',
        joint.at,
      )
    at++
  }
}

/** One quoted text, or words up to the next operator including the spaces between them. */
function readLiteral(pieces: readonly Piece[], from: number): { text: string; next: number } | null {
  const first = pieces[from]
  if (first?.kind === 'quoted') return { text: first.text, next: from + 1 }
  const words: string[] = []
  let next = from
  while (pieces[next]?.kind === 'word') words.push(pieces[next++]!.text)
  return words.length === 0 ? null : { text: words.join(' '), next }
}

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
  const saw = condition.clauses.map(({ key }) => ({ key, value: lookUp(key, scope) }))
  const isTrue = condition.clauses.every(({ operator, literal }, index) => {
    const { value } = saw[index]!
    if (operator === '=') return value === literal
    if (operator === '!=') return value !== literal
    return value !== '' && value !== 'false' && value !== '0'
  })
  return { isTrue, saw }
}

function lookUp(key: string, { outcome, preferredLabel, context }: ConditionScope): string {
  if (key === 'outcome') return outcome
  if (key === 'preferred_label') return preferredLabel
  if (Object.hasOwn(context, key)) return valueText(context[key])
  const bare = key.startsWith('context.') ? key.slice('context.'.length) : key
  if (Object.hasOwn(context, bare)) return valueText(context[bare])
  return valueText(follow(context, bare))
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
