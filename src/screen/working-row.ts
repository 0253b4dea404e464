/*
 * The row that shows work, as agents without a pack draw it: a mark that turns, a time that counts,
 * and the key that interrupts. Any two of them are a sign; each alone also appears in answers.
 */
const DURATION = '(?:\\d+[hm] ?){0,2}\\d+(?:\\.\\d+)?s\\b'
/** `⠹ Press Esc to cancel`, ` ⡿⣿⣿  ( 3s • esc to interrupt )`. */
const TURNING = /^\s{0,5}[\u2800-\u28ff]{1,8}(?=\s)/u
const INTERRUPT =
  /\b(?:esc|escape|ctrl[-+ ]?c|\^c)\b(?: again| twice| esc)?[\s:]{1,3}(?:to )?(?:interrupt|cancel|stop|abort)\b/iu
const TIMED_KEY = new RegExp(`^\\s{0,5}[^\\p{L}\\p{N}]{0,12}\\(\\s*${DURATION}\\s*[•·∙|,]\\s*[^()]{3,80}\\)?\\s*$`, 'u')
const CLOCK = new RegExp(`(?:^|[\\s(])${DURATION}`, 'u')
/** A longer row is a sentence. */
const LONGEST = 120

/** Whether a row shows by itself that the program works. */
export function isWorkingHint(text: string): boolean {
  if (text.length > LONGEST) return false
  const isInterruptible = INTERRUPT.test(text)
  return (isInterruptible && (TURNING.test(text) || hasClock(text))) || TIMED_KEY.test(text)
}

/** A time next to the key, after a mark: ` * Brewing (4s · esc to cancel)`. */
function hasClock(text: string): boolean {
  return /^\s{0,5}[^\p{L}\p{N}\s"'`]/u.test(text) && CLOCK.test(text)
}

/** Rows below the sign of work are its footer, if they are few. */
const FOOTER_ROWS = 6

/** The row that shows work above the input box or the footer, without any rule for it. */
export function findWorkingRow(rows: readonly { text: string }[], end: number): number | null {
  const at = rows.slice(0, end).findLastIndex(row => isWorkingHint(row.text))
  if (at < 0) return null
  const below = rows.slice(at + 1, end).filter(row => row.text.trim() !== '')
  return below.length <= FOOTER_ROWS ? at : null
}

/** `~6 tokens`, `↑ 1.2k tokens · 3.5 tok/s`: what was used, not what was said. */
export function isFigures(text: string): boolean {
  return /^\s*[~≈↑↓]?\s*\d[\d.,]*\s?[kKM]?\s*(?:tokens?|tok\/s)\b[^.!?]{0,40}$/u.test(text)
}
