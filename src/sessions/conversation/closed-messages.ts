import type { Block } from '../../screen/index.js'
import { type ReportedText, reconcileReported } from './reported-text.js'

/** A message that has ended, with what is needed to better it while it is young. */
export interface ClosedMessage {
  turn: string
  message: string
  /** As the screen showed it. */
  shown: readonly Block[]
  /** The agent's own words for it, as far as they are known. */
  said: readonly ReportedText[]
  blocks: readonly Block[]
  /** All its text is confirmed by the agent's own record. */
  isConfirmed: boolean
  /** When its turn was opened and when it was closed, in seconds since the session's start. */
  openedT: number
  closedT: number
}

/** How long after its end a message is bettered by the agent's own record, in seconds. */
const PATCH_S = 60
const KEPT = 20

/** The messages that ended last. Records of the agent reach its transcript after its screen, sometimes after the message was closed. */
export class ClosedMessages {
  #messages: ClosedMessage[] = []

  add(message: ClosedMessage): ClosedMessage {
    this.#messages = [...this.#messages.slice(-KEPT), message]
    return message
  }

  has(record: ReportedText): boolean {
    return this.#messages.some(message => message.said.some(({ id }) => id === record.id))
  }

  /** The message that shows these words already, bettered by them; null where none does. */
  claim(record: ReportedText, t: number): ClosedMessage | null {
    for (const message of this.#young(record, t)) {
      const said = [...message.said, record].sort((a, b) => a.t - b.t)
      const { blocks, found, isConfirmed } = reconcileReported(message.shown, said, { isFinal: false })
      // What was put in at the end of the turn without having been shown must not be lost again.
      if (!found.has(record.id)) continue
      const isWhole = message.said.every(({ id }) => found.has(id))
      const whole = isWhole ? { blocks, isConfirmed } : reconcileReported(message.shown, said, { isFinal: true })
      return Object.assign(message, { said, blocks: whole.blocks, isConfirmed: whole.isConfirmed })
    }
    return null
  }

  /** Words that no screen showed: they belong to the end of the last message. */
  append(record: ReportedText, t: number): ClosedMessage | null {
    const message = this.#young(record, t).at(-1)
    if (!message) return null
    const said = [...message.said, record]
    const { blocks, isConfirmed } = reconcileReported(message.shown, said, { isFinal: true })
    return Object.assign(message, { said, blocks, isConfirmed })
  }

  #young(record: ReportedText, t: number): ClosedMessage[] {
    return this.#messages.filter(({ openedT, closedT }) => t - closedT <= PATCH_S && record.t >= openedT - 1)
  }
}
