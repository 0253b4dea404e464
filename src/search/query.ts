import { createHash } from 'node:crypto'
import { SignalboxError } from '../errors/index.js'

/*
 * What a person types as a query of FTS5: every word must occur, "words in quotes" occur together,
 * `word*` and the last word match the beginning of a word. Everything else of FTS5's own language
 * is text.
 */

const WORDS_MAX = 12
/** A shorter last word would match almost everything. */
const PREFIX_MIN = 3

/** The words of a query; those in quotes stay together. */
function wordsOf(query: string): string[] {
  return [...query.matchAll(/"([^"]+)"|(\S+)/g)]
    .map(([, phrase, word]) => (phrase ?? word ?? '').replaceAll('"', ' ').trim())
    .filter(word => /[\p{L}\p{N}]/u.test(word))
}

/** @throws SignalboxError `E_INPUT` if the query has no word. */
export function matchExpression(query: string, marks: readonly string[]): string {
  const words = wordsOf(query)
  if (words.length === 0) throw new SignalboxError('E_INPUT', 'the search has no words', { next: 'give at least one' })
  if (words.length > WORDS_MAX)
    throw new SignalboxError('E_INPUT', `the search has ${words.length} words; the limit is ${WORDS_MAX}`)
  const isOpen = !/["\s]$/.test(query)
  const terms = words.map((word, index) => {
    const isLast = index === words.length - 1 && isOpen && [...word].length >= PREFIX_MIN
    const isPrefix = word.endsWith('*') || isLast
    return `text : "${word.replace(/\*+$/, '')}"${isPrefix ? ' *' : ''}`
  })
  return [...terms, ...marks.map(mark => `marks : "${mark}"`)].join(' AND ')
}

/** A filter as one word of the index: it narrows the search before anything is read. */
export function mark(kind: 'kind' | 'session' | 'run' | 'project', value: string): string {
  const name = createHash('sha256').update(value).digest('hex').slice(0, 16)
  return `${kind[0]}${name}`
}

const EXCERPT_CONTEXT = 80

/** The part of a text around the first word of the query that it contains. */
export function excerptOf(text: string, query: string): string {
  const plain = text.replace(/\s+/gu, ' ').trim()
  const low = plain.toLowerCase()
  const positions = wordsOf(query)
    .map(word => low.indexOf(word.replace(/\*+$/, '').toLowerCase()))
    .filter(position => position >= 0)
  const at = positions.length === 0 ? 0 : Math.min(...positions)
  const from = Math.max(0, at - EXCERPT_CONTEXT)
  const to = Math.min(plain.length, at + 2 * EXCERPT_CONTEXT)
  return `${from > 0 ? '…' : ''}${plain.slice(from, to)}${to < plain.length ? '…' : ''}`
}
