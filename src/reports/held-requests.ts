import type { HookAnswer } from '../agents/index.js'
import type { AnswerChannel } from '../sessions/index.js'

/** Hooks that may wait for a person at once; further ones are not held. */
const HELD_MAX = 200

type Resolve = (text: string | null) => void

/**
 * Permission hooks that wait for a decision, by the id of their report. One id may be waited for
 * more than once (a relay that reconnected before its old connection was noticed to be dead): all
 * get the same answer. Nothing is kept for later: an answer that no hook waits for is not
 * delivered, and the caller learns that.
 */
export class HeldRequests {
  readonly #waiting = new Map<string, Set<Resolve>>()

  /** Null if there are too many; resolves with the answer, or null when released. */
  hold(report: string, whenClosed: AbortSignal): Promise<string | null> | null {
    if (!this.#waiting.has(report) && this.#waiting.size >= HELD_MAX) return null
    return new Promise(resolve => {
      const waiting = this.#waiting.get(report) ?? new Set<Resolve>()
      waiting.add(resolve)
      this.#waiting.set(report, waiting)
      const leave = () => {
        waiting.delete(resolve)
        if (waiting.size === 0 && this.#waiting.get(report) === waiting) this.#waiting.delete(report)
        resolve(null)
      }
      if (whenClosed.aborted) leave()
      else whenClosed.addEventListener('abort', leave, { once: true })
    })
  }

  isHeld(report: string): boolean {
    return this.#waiting.has(report)
  }

  /** False if no hook waits under this id. */
  answer(report: string, text: string | null): boolean {
    const waiting = this.#waiting.get(report)
    if (!waiting) return false
    this.#waiting.delete(report)
    for (const resolve of waiting) resolve(text)
    return true
  }

  /** The answer channel of one agent, in its own format. */
  channel(say: (answer: HookAnswer) => string | null, options: { mayHold: boolean }): AnswerChannel {
    return {
      mayHold: options.mayHold,
      isOpen: report => this.isHeld(report),
      answer: async (report, answer) => {
        const text = say(answer)
        if (text === null) return 'unsupported'
        return this.answer(report, text) ? 'sent' : 'closed'
      },
      release: report => void this.answer(report, null),
    }
  }
}
