/**
 * A text without blanks (also that of Braille), zero-width characters and accents, to compare what
 * was sent with what a screen shows: boxes wrap, and some of them leave out what others draw. A
 * letter and its accent may be one character or two, and some programs lose the second.
 */
export function comparableText(text: string): string {
  return text.normalize('NFD').replace(/[\p{M}\s\u200b\u2060\u2800\ufeff]+/gu, '')
}
