import type { Look } from '../../panes/index.js'
import type { Conversation } from './conversation.js'

/** Without a prompt only what stands for so long is said: hints and waiting prompts come and go in the same place. */
const HISTORY_STANDS_S = 1

/**
 * What passed while nobody waited for anything. `due`: it is to be said now, as a message of its own; `passing`: it has to stand a while
 * first; null: there is nothing to say.
 */
export class IdleOutput {
  readonly #conversation: Conversation
  #seen: { markdown: string; t: number } | null = null

  constructor(conversation: Conversation) {
    this.#conversation = conversation
  }

  /** When what is passing will have stood for long enough; null: nothing is. */
  get dueAt(): number | null {
    return this.#seen && this.#seen.t + HISTORY_STANDS_S
  }

  /** `markTurn` is called where a prompt stands that has had no turn: it was answered at once. */
  look(look: Look | null, markTurn: (look: Look) => void): 'due' | 'passing' | null {
    const found = look && isReadable(look) ? this.#conversation.history(look) : null
    const before = this.#seen
    this.#seen = null
    if (!found || !look) return null
    if (this.#conversation.turn === null && this.#conversation.hasNewPrompt) markTurn(look)
    if (this.#conversation.turn !== null) return 'due'
    const since = before?.markdown === found.markdown ? before.t : look.t
    if (look.t - since >= HISTORY_STANDS_S) return 'due'
    this.#seen = { markdown: found.markdown, t: since }
    return 'passing'
  }
}

/** Only above an input box in use are rows the agent's words; a question about leaving, a list or a viewer passes. */
function isReadable({ observation }: Look): boolean {
  const { composer, awaiting } = observation
  return composer !== null && !composer.completion && awaiting === null
}
