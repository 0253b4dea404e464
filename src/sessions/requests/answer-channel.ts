import type { HookAnswer } from '../../agents/index.js'

/**
 * The way back to an agent beside its keyboard: a hook that waits, a reply in its own protocol. A request is named by the id of the report
 * that brought it, so that an answer reaches exactly that request or nobody.
 */
export interface AnswerChannel {
  /** Requests of this session may wait for an answer. */
  readonly mayHold: boolean
  /** What an answer may carry beyond a yes; left out: all that there is. */
  readonly can?: readonly ('edit' | 'deny' | 'text' | 'hold')[]
  /** Someone waits for this request's answer now. */
  isOpen(report: string): boolean
  /** `sent`: handed over, which proves nothing yet. `closed`: nobody waits any more. `unsayable`: this answer has no form there. */
  answer(report: string, answer: HookAnswer): Promise<'sent' | 'closed' | 'unsayable'>
  /** Lets the request go without an answer: it was answered elsewhere, or will be. */
  release(report: string): void
}

/** For agents that take answers from their keyboard alone. */
export const NO_CHANNEL: AnswerChannel = {
  mayHold: false,
  isOpen: () => false,
  answer: async () => 'closed',
  release: () => undefined,
}
