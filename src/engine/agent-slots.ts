/** How many steps of an agent may be at work at once in this host; those beyond wait for one to end, in the order they came. */
export class AgentSlots {
  readonly #most: Readonly<Record<string, number | null>>
  readonly #busy = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(most: Readonly<Record<string, number | null>> = {}) {
    this.#most = most
  }

  isFull(agent: string): boolean {
    const most = this.#most[agent] ?? null
    return most !== null && (this.#busy.get(agent) ?? 0) >= most
  }

  /** Resolves with what gives the place back; rejects with the signal's reason when it is no longer wanted. */
  async take(agent: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.isFull(agent)) await this.#turn(agent, signal)
    else this.#busy.set(agent, (this.#busy.get(agent) ?? 0) + 1)
    let isGiven = false
    return () => {
      if (isGiven) return
      isGiven = true
      this.#giveBack(agent)
    }
  }

  /** A place that is given back goes to the next in line: it stays taken, so that nobody comes in between. */
  #giveBack(agent: string): void {
    const next = this.#waiting.get(agent)?.shift()
    if (next) next()
    else this.#busy.set(agent, (this.#busy.get(agent) ?? 1) - 1)
  }

  #turn(agent: string, signal: AbortSignal): Promise<void> {
    const line = this.#waiting.get(agent) ?? []
    this.#waiting.set(agent, line)
    return new Promise((resolve, reject) => {
      const come = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        line.splice(line.indexOf(come), 1)
        reject(signal.reason)
      }
      line.push(come)
      signal.addEventListener('abort', leave, { once: true })
    })
  }
}
