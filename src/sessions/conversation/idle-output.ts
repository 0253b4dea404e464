import type { Look } from '../../panes/index.js'
import type { Conversation } from './conversation.js'

/**
 * Output without a prompt must stay this long, in seconds: hints and queued prompts come and go in
 * the same place.
 */
const STAYS_S = 1
/** Times are sums of floating-point seconds: a look exactly at `dueAt` must count. */
const ROUNDING_S = 1e-9

/**
 * Output that appeared while the agent was idle, such as that of a slash command. `due`: it is to
 * be written now, as a message of its own; `pending`: it must stay on screen first; null: there is
 * none.
 */
export class IdleOutput {
  readonly #conversation: Conversation
  #pending: { markdown: string; t: number } | null = null

  constructor(conversation: Conversation) {
    this.#conversation = conversation
  }

  /** When the pending output will have stayed long enough; null: none is pending. */
  get dueAt(): number | null {
    return this.#pending && this.#pending.t + STAYS_S
  }

  /** Calls `markTurn` if a prompt without a turn is on screen: the agent answered it at once. */
  check(look: Look | null, markTurn: (look: Look) => void): 'due' | 'pending' | null {
    const found = look && isReadable(look) ? this.#conversation.idleOutput(look) : null
    const before = this.#pending
    this.#pending = null
    if (!found || !look) return null
    if (this.#conversation.turn === null && this.#conversation.hasNewPrompt) markTurn(look)
    if (this.#conversation.turn !== null) return 'due'
    const since = before?.markdown === found.markdown ? before.t : look.t
    if (look.t - since >= STAYS_S - ROUNDING_S) return 'due'
    this.#pending = { markdown: found.markdown, t: since }
    return 'pending'
  }
}

/**
 * Rows are output only above an input box in use, not above an exit question, a completion list or
 * a viewer.
 */
function isReadable({ observation }: Look): boolean {
  const { composer, awaiting } = observation
  return composer !== null && !composer.completion && awaiting === null
}
