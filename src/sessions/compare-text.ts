/**
 * A text without blanks and zero-width characters, to compare what was sent with what a screen
 * shows: boxes wrap, some of them draw zero-width characters that others leave out, and a letter
 * with its accent may be one character or two.
 */
export function squash(text: string): string {
  return text.normalize('NFC').replace(/[\s\u200b\u2060\ufeff]+/gu, '')
}
