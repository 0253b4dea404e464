import { outcomeWord } from './outcome-words.js'

/**
 * `a = x && b != "y" || c`: alternatives, of which one must hold; `&&` binds tighter than `||`. An
 * empty condition has one alternative without clauses, which always holds.
 */
export interface Condition {
  readonly alternatives: readonly (readonly Clause[])[]
  /** Operators beyond `=`, `!=` and `&&`, which other engines may not understand. */
  readonly extensions: readonly Extension[]
}

export interface Clause {
  readonly key: string
  /** `is`: the key alone, true if it has a non-empty value. */
  readonly operator: Operator | 'is'
  readonly literal: string
}

interface Extension {
  readonly operator: string
  /** Index into the text of the condition. */
  readonly at: number
}

interface ConditionProblem {
  message: string
  hint: string
  /** Index into the text of the condition. */
  at: number
}

export type ParsedCondition = { condition: Condition } | { problem: ConditionProblem }

const COMPARISONS = ['<=', '>=', '<', '>'] as const
type Comparison = (typeof COMPARISONS)[number]
type Operator = '=' | '!=' | 'contains' | Comparison

interface Piece {
  kind: 'word' | 'quoted' | 'operator' | '&&' | '||'
  text: string
  at: number
}

const CONDITION_MAX = 1_024

/**
 * Parses a condition. Nothing is ever evaluated as code; operators of other languages are rejected
 * with a hint what to write instead.
 */
export function parseCondition(text: string): ParsedCondition {
  const known = CACHED.get(text)
  if (known) return known
  if (CACHED.size >= CACHED_CONDITIONS_MAX) CACHED.clear()
  const parsed = readCondition(text)
  CACHED.set(text, parsed)
  return parsed
}

/** All clauses of a condition, whichever alternative they belong to. */
export function clausesOf({ alternatives }: Condition): readonly Clause[] {
  return alternatives.flat()
}

/**
 * Graphs have few conditions and evaluate them often: parsed conditions are cached, up to a limit.
 */
const CACHED = new Map<string, ParsedCondition>()
const CACHED_CONDITIONS_MAX = 4_096

function readCondition(text: string): ParsedCondition {
  if (text.length > CONDITION_MAX)
    return {
      problem: {
        message: `the condition is ${text.length} characters long`,
        hint: `the limit is ${CONDITION_MAX}`,
        at: 0,
      },
    }
  if (text.trim() === '') return { condition: { alternatives: [[]], extensions: [] } }
  const cut = cutPieces(text)
  if ('problem' in cut) return cut
  return readClauses(cut.pieces, text.length)
}

/** Operators, longest first. */
const OPERATORS = ['&&', '||', '!=', '==', '<=', '>=', '<', '>', '='] as const

/** Signs and words of other languages, each with what to write here. */
const OTHER_LANGUAGES: Readonly<Record<string, string>> = {
  '==': 'use =',
  '!': 'use !=',
  '&': 'use &&',
  '|': 'use ||',
  '~': 'use contains',
  '(': 'no parentheses: && binds tighter than ||',
  ')': 'no parentheses: && binds tighter than ||',
  and: 'use &&',
  or: 'use ||',
  not: 'use !=',
}

function cutPieces(text: string): { pieces: Piece[] } | { problem: ConditionProblem } {
  const pieces: Piece[] = []
  const refuse = (sign: string, at: number) => ({
    problem: { message: `"${sign}" is not an operator`, hint: OTHER_LANGUAGES[sign.toLowerCase()]!, at },
  })
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at)
    if (/^\s/.test(rest)) {
      at++
      continue
    }
    const sign = OPERATORS.find(operator => rest.startsWith(operator)) ?? rest[0]!
    if (Object.hasOwn(OTHER_LANGUAGES, sign)) return refuse(sign, at)
    if ((OPERATORS as readonly string[]).includes(sign)) {
      pieces.push({ kind: sign === '&&' || sign === '||' ? sign : 'operator', text: sign, at })
      at += sign.length
      continue
    }
    if (sign === '"' || sign === "'") {
      const end = text.indexOf(sign, at + 1)
      if (end < 0) return { problem: { message: 'this quote is not closed', hint: `close it with ${sign}`, at } }
      pieces.push({ kind: 'quoted', text: text.slice(at + 1, end), at })
      at = end + 1
      continue
    }
    const word = /^[^\s"'=!<>|()~&]+/.exec(rest)![0]
    if (Object.hasOwn(OTHER_LANGUAGES, word.toLowerCase())) return refuse(word, at)
    pieces.push({ kind: 'word', text: word, at })
    at += word.length
  }
  return { pieces }
}

const KEY = /^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$/

function readClauses(pieces: readonly Piece[], length: number): ParsedCondition {
  const alternatives: Clause[][] = [[]]
  const extensions: Extension[] = []
  let at = 0
  const fail = (message: string, hint: string, position: number): ParsedCondition => ({
    problem: { message, hint, at: position },
  })
  for (;;) {
    const key = pieces[at]
    if (!key || key.kind === '&&' || key.kind === '||')
      return fail('a clause is empty', `write key=value on both sides of ${key?.kind ?? '&&'}`, key?.at ?? length)
    if (key.kind !== 'word' || !KEY.test(key.text))
      return fail(`expected a key, found "${key.text}"`, 'a key consists of letters, digits, _ and dots', key.at)
    at++
    const operator = operatorAt(pieces[at])
    if (operator === 'matches')
      return fail('"matches" is not an operator', 'use contains, or = for a whole value', pieces[at]!.at)
    if (operator !== null) {
      const sign = pieces[at]!
      at++
      const value = readLiteral(pieces, at)
      if (value === null)
        return fail(`expected a value after ${sign.text}`, 'an empty value is written ""', pieces[at]?.at ?? length)
      if (isComparison(operator) && !isNumber(value.text))
        return fail(
          `expected a number after ${operator}, found "${value.text}"`,
          'use = or != to compare text',
          pieces[at]!.at,
        )
      if (operator !== '=' && operator !== '!=') extensions.push({ operator, at: sign.at })
      const isOutcome = key.text === 'outcome' || key.text === 'context.outcome'
      alternatives.at(-1)!.push({ key: key.text, operator, literal: isOutcome ? outcomeWord(value.text) : value.text })
      at = value.next
    } else alternatives.at(-1)!.push({ key: key.text, operator: 'is', literal: '' })
    const joint = pieces[at]
    if (!joint) return { condition: { alternatives, extensions } }
    if (joint.kind !== '&&' && joint.kind !== '||')
      return fail(
        `expected &&, || or the end, found "${joint.text}"`,
        'quote a value that contains such characters',
        joint.at,
      )
    if (joint.kind === '||') {
      alternatives.push([])
      extensions.push({ operator: '||', at: joint.at })
    }
    at++
  }
}

/** The operator after a key. `contains` is one only there: elsewhere it is part of a value. */
function operatorAt(piece: Piece | undefined): Operator | 'matches' | null {
  if (piece?.kind === 'operator') return piece.text as Operator
  if (piece?.kind === 'word' && (piece.text === 'contains' || piece.text === 'matches')) return piece.text
  return null
}

export function isComparison(operator: Clause['operator']): operator is Comparison {
  return (COMPARISONS as readonly string[]).includes(operator)
}

export function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text))
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
