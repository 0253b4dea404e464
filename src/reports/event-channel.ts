import type { AgentEvents, AgentReport, HookAnswer } from '../agents/index.js'
import type { AnswerChannel } from '../sessions/index.js'

/**
 * The way back to an agent that has a channel of its own. Its requests stay answerable there for as long as they are open, and beside that
 * in its dialog: nobody waits, so nothing is held or let go. An edit, or a rule of the agent's own, has no form here.
 */
export class EventChannel implements AnswerChannel {
  readonly mayHold = true
  readonly can = ['deny', 'text'] as const
  /** By report: what an answer has to name, and what the agent calls the request when it has been answered. */
  readonly #open = new Map<string, { reply: string; key: string }>()
  #events: AgentEvents | null = null

  connect(events: AgentEvents): void {
    this.#events = events
  }

  /** Called before anybody hears the report, so that whoever hears it can answer at once. */
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

  /** Nobody waits here. */
  release(): void {}
}
