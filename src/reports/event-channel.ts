import type { AgentEvents, AgentReport, HookAnswer } from '../agents/index.js'
import type { AnswerChannel } from '../sessions/index.js'

/**
 * The answer channel of an agent with an event channel of its own. Its requests stay answerable
 * there while they are open, and also in its dialog: nothing blocks, so nothing is held or
 * released. An edit, or a rule of the agent, cannot be expressed here.
 */
export class EventChannel implements AnswerChannel {
  readonly mayHold = true
  readonly can = ['deny', 'text'] as const
  /**
   * By report: the id to answer with, and the id by which the agent reports that it was answered.
   */
  readonly #open = new Map<string, { reply: string; key: string }>()
  #events: AgentEvents | null = null

  connect(events: AgentEvents): void {
    this.#events = events
  }

  /** Called before the report is delivered, so that a receiver can answer at once. */
  note({ id, statement }: AgentReport): void {
    if (statement.is === 'request' && statement.key !== null)
      this.#open.set(id, { reply: statement.reply ?? statement.key, key: statement.key })
    else if (statement.is === 'answered')
      for (const [report, { key }] of this.#open) if (key === statement.key) this.#open.delete(report)
  }

  isOpen(report: string): boolean {
    return this.#open.has(report)
  }

  async answer(report: string, { behavior, message, updatedInput, sessionRule }: HookAnswer) {
    const asked = this.#open.get(report)
    if (!asked || !this.#events) return 'closed'
    if (updatedInput !== undefined || sessionRule !== undefined) return 'unsayable'
    const result = await this.#events.answer(asked.reply, {
      behavior: behavior === 'allow' ? 'once' : 'deny',
      ...(message !== undefined && { message }),
    })
    return result === 'taken' ? 'sent' : 'closed'
  }

  /** Nothing is held here. */
  release(): void {}
}
