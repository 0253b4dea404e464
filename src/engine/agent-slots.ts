/** Limits the steps of one agent at once in this host; others wait in order. */
export class AgentSlots {
  readonly #limits: Readonly<Record<string, number | null>>
  readonly #busy = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(limits: Readonly<Record<string, number | null>> = {}) {
    this.#limits = limits
  }

  isFull(agent: string): boolean {
    const limit = this.#limits[agent] ?? null
    return limit !== null && (this.#busy.get(agent) ?? 0) >= limit
  }

  /** Resolves with a function that releases the slot; rejects when the signal aborts. */
  async acquire(agent: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.isFull(agent)) await this.#waitInQueue(agent, signal)
    else this.#busy.set(agent, (this.#busy.get(agent) ?? 0) + 1)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#release(agent)
    }
  }

  /** A released slot passes directly to the next waiting step: no newcomer takes it. */
  #release(agent: string): void {
    const next = this.#waiting.get(agent)?.shift()
    if (next) next()
    else this.#busy.set(agent, (this.#busy.get(agent) ?? 1) - 1)
  }

  #waitInQueue(agent: string, signal: AbortSignal): Promise<void> {
    const queue = this.#waiting.get(agent) ?? []
    this.#waiting.set(agent, queue)
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        queue.splice(queue.indexOf(enter), 1)
        reject(signal.reason)
      }
      queue.push(enter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }
}
