/**
 * A text without blanks and zero-width characters, to compare what was sent with what a screen
 * shows: boxes wrap, and some of them draw zero-width characters that others leave out.
 */
export function squash(text: string): string {
  return text.replace(/[\s\u200b\u2060\ufeff]+/gu, '')
}
