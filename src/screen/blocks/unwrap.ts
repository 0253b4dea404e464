import { displayWidth } from '../../text/index.js'

/*
 * Agents wrap their text themselves, so the terminal's soft-wrap flag is not set and a paragraph
 * arrives as rows. Two rows are one line of the source if the first word of the second would not
 * have fitted after the first. The width at which the agent wraps (pack) decides.
 *
 * A word that is longer than a whole row is split at the edge: then nothing separates the two
 * halves. Only the length shows the split: the halves together are wider than the available width.
 */
export interface MeasuredRow {
  /** The column after the last visible cell. */
  width: number
  /** The text of the row without marks and indentation of its block. */
  text: string
}

export interface TextRoom {
  /** The column at which the agent wraps its rows. */
  right: number
  /** The column where the text starts. */
  left: number
}

export function isContinuation(
  above: MeasuredRow,
  below: { text: string; isContinued?: boolean | undefined },
  room: TextRoom,
): boolean {
  if (below.isContinued) return true
  const word = firstWord(below.text)
  if (word === '') return false
  if (isWide(lastCharacter(above.text)) && isWide(word)) return above.width + 2 > room.right
  return above.width + 1 + displayWidth(breakable(word)) > room.right
}

/** Between joined rows: a blank; nothing in a split word or between wide characters. */
export function separatorBetween(
  above: MeasuredRow,
  below: { text: string; isContinued?: boolean | undefined },
  room: TextRoom,
): string {
  const next = firstWord(below.text)
  if (isWide(lastCharacter(above.text)) && isWide(next)) return ''
  if (below.isContinued) return ' '
  const last = lastWord(above.text)
  const isCut = above.width >= room.right && displayWidth(last) + displayWidth(next) > room.right - room.left
  return isCut ? '' : ' '
}

function firstWord(text: string): string {
  return /^[\s\u00a0]*(\S+)/u.exec(text)?.[1] ?? ''
}

export function lastWord(text: string): string {
  const trimmed = text.trimEnd()
  let start = trimmed.length
  while (start > 0 && !/\s/u.test(trimmed[start - 1]!)) start--
  return trimmed.slice(start)
}

/** Text without blanks can be wrapped anywhere: only its first character must fit. */
function breakable(word: string): string {
  return isWide(word) ? String.fromCodePoint(word.codePointAt(0)!) : word
}

function lastCharacter(text: string): string {
  return /.[\s\u00a0]*$/su.exec(text.slice(-8))?.[0].trim() ?? ''
}

const CJK = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]/u

/** Korean has blanks between words, so it is not included. */
function isWide(text: string): boolean {
  return CJK.test(text)
}
