import { BLOCK_MARK } from '../../screen/index.js'

/*
 * Where the last message ended, found again after rows have moved.
 *
 * Agents fold finished parts (a thought, a tool's output), remove half-drawn rows and wrap
 * everything again after a resize, so the number of a row is not a stable place. The text of the
 * last rows is: without blanks, because a change of width puts the same words into other rows, and
 * without the mark of a block, which may blink.
 */
export const TAIL_ROWS = 12
/** How many rows are searched for together first: a single row may occur twice. */
const ROWS_TOGETHER = 3
/** A match of fewer characters proves nothing. */
const MATCH_MIN_CHARACTERS = 8

/** The text of the last rows of a message, without blanks. */
export function tailOf(rows: readonly { text: string }[]): string[] {
  return rows
    .map(row => squeezed(row.text))
    .filter(text => text !== '')
    .slice(-TAIL_ROWS)
}

/** Whether the rows still end with the tail. */
export function endsWith(rows: readonly { text: string }[], tail: readonly string[]): boolean {
  const last = rows.findLast(row => row.text.trim() !== '')
  return last !== undefined && squeezed(last.text) === tail.at(-1)
}

/** Id of the row that ends the tail; null if none is here. Missing rows were removed. */
export function findTail(rows: readonly { id: number; text: string }[], tail: readonly string[]): number | null {
  const ends: { offset: number; id: number }[] = []
  let whole = ''
  for (const { id, text } of rows) {
    whole += squeezed(text)
    ends.push({ offset: whole.length, id })
  }
  for (let count = tail.length; count > 0; count--) {
    for (let together = Math.min(ROWS_TOGETHER, count); together > 0; together--) {
      const words = tail.slice(count - together, count).join('')
      const at = words.length < MATCH_MIN_CHARACTERS && tail.length > 1 ? -1 : whole.lastIndexOf(words)
      if (at >= 0) return ends.find(end => end.offset >= at + words.length)!.id
    }
  }
  return null
}

/**
 * What a row holds beyond its former last words, from the word on in which it was cut; null if it
 * is another row or has not grown. Some agents draw a second behind their text, and ask in between.
 */
export function continuationOf(row: { text: string }, last: string): string | null {
  const words = row.text.replace(BLOCK_MARK, '')
  if (!squeezed(row.text).startsWith(last) || squeezed(row.text) === last) return null
  let at = 0
  for (let known = 0; known < last.length; at++) if (!isBlankAt(words, at)) known++
  while (at > 0 && !isBlankAt(words, at) && !isBlankAt(words, at - 1)) at--
  return words.slice(at).trim()
}

function isBlankAt(text: string, at: number): boolean {
  return /[\s\u00a0]/u.test(text[at] ?? ' ')
}

/** The text of rows, however they are wrapped and marked. */
export function squeezedText(rows: readonly { text: string }[]): string {
  return rows.map(row => squeezed(row.text)).join('')
}

function squeezed(text: string): string {
  return text.replace(BLOCK_MARK, '').replace(/[\s\u00a0]+/gu, '')
}
