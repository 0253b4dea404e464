import { BLOCK_MARK } from '../screen/index.js'

/*
 * Where what has been said ends, found again after rows have moved. Agents fold what is over (a thought, a tool's output), take half-drawn
 * rows back and wrap everything anew after a resize; so a row's number is no place to remember. The last rows that were said are: their
 * words, blanks left out, because a change of width puts the same words into other rows, and without the mark of a block, which may blink.
 */
export const TAIL_ROWS = 12
/** So many rows together are looked for first: one alone may be said twice. */
const WITNESSES = 3
/** A place in the middle of a word or two proves nothing. */
const ENOUGH_CHARACTERS = 8

/** The last rows of a message that ends here, without blanks. */
export function tailOf(rows: readonly { text: string }[]): string[] {
  return rows
    .map(row => squeezed(row.text))
    .filter(text => text !== '')
    .slice(-TAIL_ROWS)
}

/** Whether the message still ends above the row it ended above. */
export function endsWith(rows: readonly { text: string }[], tail: readonly string[]): boolean {
  const last = rows.findLast(row => row.text.trim() !== '')
  return last !== undefined && squeezed(last.text) === tail.at(-1)
}

/** Id of the last row that was said already; null when none of the tail is here. Rows of the tail that are gone were taken back. */
export function endOfSaid(rows: readonly { id: number; text: string }[], tail: readonly string[]): number | null {
  const ends: { offset: number; id: number }[] = []
  let whole = ''
  for (const { id, text } of rows) {
    whole += squeezed(text)
    ends.push({ offset: whole.length, id })
  }
  for (let count = tail.length; count > 0; count--) {
    for (let witnesses = Math.min(WITNESSES, count); witnesses > 0; witnesses--) {
      const words = tail.slice(count - witnesses, count).join('')
      const at = words.length < ENOUGH_CHARACTERS && tail.length > 1 ? -1 : whole.lastIndexOf(words)
      if (at >= 0) return ends.find(end => end.offset >= at + words.length)!.id
    }
  }
  return null
}

/**
 * What a row holds beyond the words that were its last ones, from the word on in which it was cut; null where it is another row or has not
 * grown. Some agents draw a second behind what they say, and stop to ask in between.
 */
export function grownRest(row: { text: string }, last: string): string | null {
  const words = row.text.replace(BLOCK_MARK, '')
  if (!squeezed(row.text).startsWith(last) || squeezed(row.text) === last) return null
  let at = 0
  for (let said = 0; said < last.length; at++) if (!isBlankAt(words, at)) said++
  while (at > 0 && !isBlankAt(words, at) && !isBlankAt(words, at - 1)) at--
  return words.slice(at).trim()
}

function isBlankAt(text: string, at: number): boolean {
  return /[\s\u00a0]/u.test(text[at] ?? ' ')
}

/** The words of rows, however they are wrapped and marked. */
export function squeezedText(rows: readonly { text: string }[]): string {
  return rows.map(row => squeezed(row.text)).join('')
}

function squeezed(text: string): string {
  return text.replace(BLOCK_MARK, '').replace(/[\s\u00a0]+/gu, '')
}
