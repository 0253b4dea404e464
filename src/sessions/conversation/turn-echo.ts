import type { TextRow } from '../../screen/index.js'
import { comparableText } from '../compare-text.js'
import type { ConversationRows, Echo } from './conversation-rows.js'
import type { ConversationState } from './conversation-state.js'
import { squeezedText } from './message-tail.js'

/* Whether the prompt on the screen is the prompt of the open turn. */

/** As many queued prompts are remembered, each by as many characters of its end. */
const QUEUED_MAX = 20
const PROMPT_END_CHARACTERS = 40

export function promptEnd(text: string): string {
  return comparableText(text).slice(-PROMPT_END_CHARACTERS)
}

/** Prompts that were typed while a turn was open: their echo begins their own turn. */
export class QueuedPrompts {
  #prompts: readonly { end: string; turn: number }[] = []

  /** `turn`: the number of the open turn. */
  add(text: string, turn: number): void {
    this.#prompts = [...this.#prompts.slice(-QUEUED_MAX), { end: promptEnd(text), turn }]
  }

  /**
   * Whether the prompt was typed during this turn. Agents work on it before they draw it: a turn
   * that was opened later may be its own.
   */
  isFrom(turn: number, { text }: Echo): boolean {
    return this.#prompts.some(prompt => prompt.turn === turn && comparableText(text).endsWith(prompt.end))
  }

  remove({ text }: Echo): void {
    this.#prompts = this.#prompts.filter(({ end }) => !comparableText(text).endsWith(end))
  }
}

/** The turn's prompt was seen while it was half drawn: its other rows are not the answer. */
export function hasGrown({ echoId, from, isTurnOpen }: ConversationState, echo: Echo): boolean {
  return isTurnOpen && echo.first === echoId && from > echo.first && from <= echo.last
}

/** The turn's prompt is elsewhere: it left its row, or a repaint printed it again. */
export function hasMoved(state: ConversationState, echo: Echo, rows: ConversationRows): boolean {
  const { echoId, echoText } = state
  if (echoId === null || echoId === echo.first || echoText !== echo.text) return false
  return rows.isRepaint(echo.first) || !rows.isEchoAt(echoId, echo) || isPrintedAgain(state, echoId, echo, rows)
}

/**
 * After a tall menu some agents print the end of their transcript again below the rest of the first
 * copy in the scrollback. It is the same turn, not an equal prompt sent again, if all messages of
 * the turn are below this prompt as well, or only below this one.
 */
function isPrintedAgain(
  { isTurnOpen, from, tail }: ConversationState,
  echoId: number,
  echo: Echo,
  rows: ConversationRows,
): boolean {
  if (!isTurnOpen || !tail || echo.first < echoId) return false
  const written = squeezedText(rows.rows(echoId, Math.min(from, echo.first) - 1))
  const below = squeezedText(rows.rowsFrom(echo.first))
  const newest = tail.join('')
  return written.endsWith(newest) ? below.startsWith(written) : below.includes(newest)
}

/**
 * Agents work before they draw the prompt: one before the turn's first text is its own.
 * `isAnswer`: these rows have text of an answer.
 */
export function isLateEcho(
  state: ConversationState,
  echo: Echo,
  {
    rows,
    queued,
    isAnswer,
  }: { rows: ConversationRows; queued: QueuedPrompts; isAnswer(rows: readonly TextRow[]): boolean },
): boolean {
  const { turns, isTurnOpen, isMessageOpen, messages, echoId, isEchoOlder, isSent, from } = state
  // Some boxes look like a prompt while they are emptied: the prompt that was sent counts.
  if (isTurnOpen && isEchoOlder === false && isSentEcho(state, echo)) return true
  // A turn has one prompt: another one below belongs to the next turn, even if this turn was
  // stopped before its first word.
  if (!isTurnOpen || isEchoOlder === false) return false
  if (queued.isFrom(turns, echo)) return false
  if (isSentEcho(state, echo)) return true
  if (echo.first <= (echoId ?? -1) || messages > (isMessageOpen ? 1 : 0)) return false
  // Above the first prompt of a session there is only a greeting, which may grow.
  if (isSent && echoId === null) return true
  // After a clear, the rows above the prompt are the earlier conversation, printed again.
  if (rows.isGone(from)) return true
  return !isAnswer(rows.rows(from, echo.first - 1))
}

/** The turn's own prompt has been seen, and ends like this. */
export function isOwnEcho({ isEchoOlder, echoText }: ConversationState, end: string): boolean {
  return isEchoOlder === false && echoText !== undefined && comparableText(echoText).endsWith(end)
}

/** The echo of the prompt that was sent, unless the turn has that one already. */
function isSentEcho(
  { sentEnd, echoId, isEchoOlder, echoText = '' }: ConversationState,
  { first, text }: Echo,
): boolean {
  if (sentEnd === undefined || first === echoId || !comparableText(text).endsWith(sentEnd)) return false
  return isEchoOlder !== false || !comparableText(echoText).endsWith(sentEnd)
}
