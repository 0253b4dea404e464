import type { ScreenRow } from './screen-row.js'
import { isFaint, isQuiet } from './style-match.js'

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
/** `◓  Reading the map...  (Ctrl+C to interrupt)`: a mark, what happens, and the key. */
const GOES_ON = /^\s{0,5}[^\p{L}\p{N}\s"'`([{]\s+\p{L}[^.…]{0,60}(?:…|\.{3})\s*\(?[^()]{4,40}\)?\s*$/u
const CLOCK = new RegExp(`(?:^|[\\s(])${DURATION}`, 'u')
/** A longer row is a sentence. */
const ROW_MAX_CHARACTERS = 120

/** `⣷  working · 2s`: one word next to the mark and the time. */
const STATED_CLOCK = new RegExp(`^\\s{0,5}\\S+\\s+[\\p{L}]+(?:…|\\.{3})?\\s*[·•|(]\\s*${DURATION}`, 'u')

/**
 * `⠹ Reading the map… 2.1s        4.0s ↓1.2k`: a mark that turns, what happens, and how long
 * already; figures may follow at the right.
 */
const TURNING_CLOCK = new RegExp(
  `^\\s{0,5}[\\u2801-\\u28ff]{1,8}\\s+\\p{L}[^…]{0,60}(?:…|\\.{3})\\s*\\(?${DURATION}\\)?(?:\\s{2,}\\S.{0,40})?$`,
  'u',
)

/** Phases of the moon and faces of a clock are drawn only to spin. */
const PHASES = /^\s{0,3}[\u{1f311}-\u{1f318}\u{1f550}-\u{1f567}](?=\s|$)/u

/** `( ● ) Thinking`: a ball that runs between brackets. A list marker does not animate. */
const BALL = /^\s{0,3}[([](?=[^()[\]]{4,14}[)\]])[\s.·-]*[●•○◦◉*][\s.·-]*[)\]]\s+\p{L}/u

/** Whether a row shows by itself that the program works. */
export function isWorkingHint(text: string): boolean {
  if (text.length > ROW_MAX_CHARACTERS) return false
  if (
    PHASES.test(text) ||
    BALL.test(text) ||
    TURNING_CLOCK.test(text) ||
    (TURNING.test(text) && STATED_CLOCK.test(text))
  )
    return true
  const isInterruptible = INTERRUPT.test(text)
  return (isInterruptible && (TURNING.test(text) || hasClock(text) || GOES_ON.test(text))) || TIMED_KEY.test(text)
}

/** A time next to the key, after a mark: ` * Brewing (4s · esc to cancel)`. */
function hasClock(text: string): boolean {
  return /^\s{0,5}[^\p{L}\p{N}\s"'`]/u.test(text) && CLOCK.test(text)
}

/**
 * `esc interrupt`, `ctrl+c to stop` next to the input box: nothing can be interrupted while the
 * agent is idle.
 */
const FOOTER_HINT =
  /(?:^|[\s(·•|])(?:esc|ctrl[-+ ]?c)(?: again| esc)?[\s:]{1,3}(?:to )?(?:interrupt(?!ed|i|s)|stop\b)/iu
/** Rows below the sign of work are its footer, if they are few. */
const FOOTER_ROWS = 6

type StatusRow = Pick<ScreenRow, 'index' | 'text' | 'indent' | 'spans' | 'page' | 'contrast'>

const INSIDE = /^\s{0,3}[│┃║](?<inside>.*?)\s*[│┃║]\s*$/u
const UPPER_EDGE = /^\s{0,3}[╭┌╔][─━═]{8,}/u
const LOWER_EDGE = /^\s{0,3}[╰└╚][─━═]{8,}/u
/** Braille patterns are drawn only to turn; a longer text after one is an answer or a tool. */
const TURNING_WORDS = /^\s{0,3}[\u2801-\u28ff]{1,8}(?:\s+[^\s│]+){1,6}$/u

/** A box with one row that turns, in the place of the input box. */
export function isBoxedWork(rows: readonly { text: string }[], index: number): boolean {
  const inside = INSIDE.exec(rows[index]?.text ?? '')?.groups?.inside
  if (inside === undefined || !(BALL.test(inside) || TURNING_WORDS.test(inside))) return false
  return UPPER_EDGE.test(rows[index - 1]?.text ?? '') && LOWER_EDGE.test(rows[index + 1]?.text ?? '')
}

/**
 * The row that shows work next to the input box, or above the footer where there is none. Between
 * it and the box is nothing but what is attached to it: in an answer, text follows.
 */
export function findWorkingRow(
  rows: readonly StatusRow[],
  end: number,
  composer: { first: number; last: number } | null,
): number | null {
  const footer = composer ? rows.slice(composer.last + 1) : []
  const below = footer.find(row => isWorkingHint(row.text) || FOOTER_HINT.test(row.text))
  if (below) return below.index
  const above = composer && rows.slice(0, end).findLast(row => row.indent >= 0)
  if (above && isHint(above)) return above.index
  const last = composer ? undefined : rows.slice(0, end).findLast(row => row.indent >= 0)
  if (last && last.text.length <= ROW_MAX_CHARACTERS && FOOTER_HINT.test(last.text)) return last.index
  const at = rows.slice(0, end).findLastIndex((row, index) => isWorkingHint(row.text) || isBoxedWork(rows, index))
  if (at < 0) return null
  const rest = rows.slice(at + 1, end).filter(row => row.indent >= 0)
  const isAttached = rest.every(row => row.indent > rows[at]!.indent + 1) || isQueue(rest) || isLoneHint(rows, rest)
  const isNext = composer ? isAttached : rest.length <= FOOTER_ROWS
  return isNext ? at : null
}

/** `Thinking…` without any mark. */
const STATED =
  /^\s{0,5}(?:thinking|working|generating|processing|reasoning|responding|waiting|loading)(?: \p{L}+){0,4}(?:…|\.{3})\s*$/iu

export function statesWork(text: string): boolean {
  return STATED.test(text)
}

/** `esc to stop` alone and in a quiet style. */
function isHint(row: StatusRow): boolean {
  return row.text.trim().length <= HINT_MAX_CHARACTERS && FOOTER_HINT.test(row.text) && isQuiet(row)
}

const HINT_MAX_CHARACTERS = 40

/** One row in a quiet style with blank rows around it, right above the box: not an answer. */
function isLoneHint(rows: readonly StatusRow[], [hint, ...others]: readonly StatusRow[]): boolean {
  if (hint === undefined || others.length > 0) return false
  const first = hint.spans.find(span => span.text.trim() !== '')
  return rows[hint.index - 1]!.indent < 0 && first !== undefined && isFaint(first, hint)
}

/** Prompts that wait, with a row that says so. */
function isQueue(rows: readonly StatusRow[]): boolean {
  return rows.length <= FOOTER_ROWS && rows.some(row => QUEUED.test(row.text))
}

const QUEUED = /\bqueued?\b.{0,30}$|^\s*queued\b/iu

/** `~6 tokens`, `↑ 1.2k tokens · 3.5 tok/s`: what was used, not what was said. */
export function isFigures(text: string): boolean {
  return /^\s*[~≈↑↓]?\s*\d[\d.,]*\s?[kKM]?\s*(?:tokens?|tok\/s)\b[^.!?]{0,40}$/u.test(text)
}
