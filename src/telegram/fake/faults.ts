/** Something that goes wrong on purpose. `late` and `lost` come after the call has worked: the bot cannot know that it did. */
export type Fault =
  | { kind: 'status'; code: number; description?: string; retryAfter?: number; migrateTo?: number }
  | { kind: 'malformed' }
  | { kind: 'half' }
  | { kind: 'no-answer' }
  | { kind: 'lost' }
  | { kind: 'late'; ms: number }

interface Planned {
  method: string | null
  left: number
  fault: Fault
}

/** Faults in the order in which they were planned; each is used up by the calls that it hits. */
export class Faults {
  readonly #planned: Planned[] = []
  #random: ((method: string) => Fault | null) | null = null

  /** The next `times` calls of this method (null: of any) go wrong. */
  plan(method: string | null, fault: Fault, times = 1): void {
    this.#planned.push({ method, left: times, fault })
  }

  /** Nothing that was planned happens any more. */
  clear(): void {
    this.#planned.length = 0
  }

  /** Asked for every call that nothing was planned for. */
  atRandom(choose: ((method: string) => Fault | null) | null): void {
    this.#random = choose
  }

  next(method: string): Fault | null {
    const index = this.#planned.findIndex(planned => planned.method === null || planned.method === method)
    const planned = this.#planned[index]
    if (!planned) return this.#random?.(method) ?? null
    planned.left -= 1
    if (planned.left === 0) this.#planned.splice(index, 1)
    return planned.fault
  }
}
