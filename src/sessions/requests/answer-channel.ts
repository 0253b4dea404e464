import type { HookAnswer } from '../../agents/index.js'

/**
 * A way to answer an agent other than its keyboard: a waiting hook, or a reply in its own protocol.
 * A request is identified by the id of the report that brought it, so that an answer reaches
 * exactly that request or none.
 */
export interface AnswerChannel {
  /** Requests of this session may wait for an answer. */
  readonly mayHold: boolean
  /** What an answer may carry besides an approval; everything if left out. */
  readonly can?: readonly ('edit' | 'deny' | 'text' | 'hold')[]
  /** The agent waits for this request's answer now. */
  isOpen(report: string): boolean
  /**
   * `sent`: handed over, which proves nothing yet. `closed`: the agent no longer waits.
   * `unsayable`: the channel cannot express this answer.
   */
  answer(report: string, answer: HookAnswer): Promise<'sent' | 'closed' | 'unsayable'>
  /** Releases the request without an answer: it was or will be answered elsewhere. */
  release(report: string): void
}

/** For agents that take answers from their keyboard only. */
export const NO_CHANNEL: AnswerChannel = {
  mayHold: false,
  isOpen: () => false,
  answer: async () => 'closed',
  release: () => undefined,
}
