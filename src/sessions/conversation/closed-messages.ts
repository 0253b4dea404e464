import type { Block } from '../../screen/index.js'
import { type ReportedText, reconcileReported } from './reported-text.js'

/** A message that has ended, with what is needed to correct it while it is recent. */
export interface ClosedMessage {
  turn: string
  message: string
  /** Its blocks as the screen showed them. */
  screenBlocks: readonly Block[]
  /** The agent's own text for it, as far as it was reported. */
  reported: readonly ReportedText[]
  blocks: readonly Block[]
  /** The agent's own record confirms all of its text. */
  isConfirmed: boolean
  /** When its turn was opened and when it was closed, in seconds since the session's start. */
  openedT: number
  closedT: number
}

/** How long after its end the agent's own record may correct a message, in seconds. */
const PATCH_S = 60
const KEPT = 20

/**
 * The messages that ended last. Agents write their transcript after they draw their screen, and
 * sometimes after the message was closed.
 */
export class ClosedMessages {
  #messages: ClosedMessage[] = []

  add(message: ClosedMessage): ClosedMessage {
    this.#messages = [...this.#messages.slice(-KEPT), message]
    return message
  }

  has(text: ReportedText): boolean {
    return this.#messages.some(message => message.reported.some(({ id }) => id === text.id))
  }

  /** The message that already shows this text, corrected by it; null if no message shows it. */
  correct(text: ReportedText, t: number): ClosedMessage | null {
    for (const message of this.#recent(text, t)) {
      const reported = [...message.reported, text].sort((a, b) => a.t - b.t)
      const { blocks, found, isConfirmed } = reconcileReported(message.screenBlocks, reported, { isFinal: false })
      if (!found.has(text.id)) continue
      // Text that was added at the end of the turn although no screen showed it must not get lost.
      const isWhole = message.reported.every(({ id }) => found.has(id))
      const whole = isWhole
        ? { blocks, isConfirmed }
        : reconcileReported(message.screenBlocks, reported, { isFinal: true })
      return Object.assign(message, { reported, blocks: whole.blocks, isConfirmed: whole.isConfirmed })
    }
    return null
  }

  /** Adds text that no screen showed to the end of the last message. */
  append(text: ReportedText, t: number): ClosedMessage | null {
    const message = this.#recent(text, t).at(-1)
    if (!message) return null
    const reported = [...message.reported, text]
    const { blocks, isConfirmed } = reconcileReported(message.screenBlocks, reported, { isFinal: true })
    return Object.assign(message, { reported, blocks, isConfirmed })
  }

  #recent(text: ReportedText, t: number): ClosedMessage[] {
    return this.#messages.filter(({ openedT, closedT }) => t - closedT <= PATCH_S && text.t >= openedT - 1)
  }
}
