/** A planned fault. `late` and `lost` happen after the call was executed. */
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

/** Faults in the order in which they were planned; each is used up by the calls that it affects. */
export class Faults {
  readonly #planned: Planned[] = []
  #random: ((method: string) => Fault | null) | null = null

  /** The next `times` calls of this method (null: of any method) fail. */
  plan(method: string | null, fault: Fault, times = 1): void {
    this.#planned.push({ method, left: times, fault })
  }

  /** Removes all planned faults. */
  clear(): void {
    this.#planned.length = 0
  }

  /** Called for every call without a planned fault. */
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
