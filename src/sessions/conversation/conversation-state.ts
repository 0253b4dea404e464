import type { ConversationRowsState } from './conversation-rows.js'

/** Saved in snapshots. */
export interface ConversationState {
  turns: number
  messages: number
  isTurnOpen: boolean
  isMessageOpen: boolean
  /** First row of the prompt that opened the turn. */
  echoId: number | null
  /** The turn's own prompt is not on screen yet, or it has none: `echoId` is an older prompt. */
  isEchoOlder?: boolean
  /** Signalbox sent the turn's prompt, and how the prompt ends. */
  isSent?: boolean
  sentEnd?: string
  /** First row of the open message. */
  from: number
  /** The last row that messages have covered. */
  lastRowRead: number
  /** When the turn began, in seconds since the session's start. */
  openedT?: number
  /** The text of the prompt and of the last message's end: found again after a repaint. */
  echoText?: string
  tail?: string[]
  /** The last row of the last message is text: it may have been cut in the middle. */
  isTailText?: boolean
  shown?: ConversationRowsState
}

export const NEW_CONVERSATION: ConversationState = {
  turns: 0,
  messages: 0,
  isTurnOpen: false,
  isMessageOpen: false,
  echoId: null,
  from: 0,
  lastRowRead: -1,
}

/** Rows above a turn that are still read: older prompts are searched for after a repaint. */
const ROWS_ABOVE = 1000

/** The first row that a conversation in this state may read again. */
export function firstRowNeeded({ echoId, from }: ConversationState): number {
  return Math.max(0, Math.min(echoId ?? from, from) - ROWS_ABOVE)
}
