import type { Clock } from '../../clock/index.js'

/** A person at an attached terminal who types, or wants to. */
export interface KeyboardUser {
  id: string
  name: string
  /** Called when another person, or Signalbox itself, holds the keyboard. */
  holderChanged(by: Holder): void
}

export type Holder = { kind: 'person'; id: string; name: string } | { kind: 'signalbox' } | { kind: 'none' }

const NO_HOLDER: Holder = { kind: 'none' }
const OURSELVES: Holder = { kind: 'signalbox' }

/**
 * Who may type into a session. One attached person holds the keyboard: their keys and the size of
 * their terminal count, and the others watch until they take it over. While Signalbox types a
 * prompt or a decision, no person's keys pass, so that nothing is typed in between.
 */
export class Keyboard {
  readonly #clock: Clock
  #people: KeyboardUser[] = []
  #holder: string | null = null
  #ours: Promise<void> = Promise.resolve()
  #isOurs = false
  #announced = NO_HOLDER
  #lastKeysAt = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get holder(): Holder {
    if (this.#isOurs) return OURSELVES
    const person = this.#people.find(({ id }) => id === this.#holder)
    return person ? { kind: 'person', id: person.id, name: person.name } : NO_HOLDER
  }

  /** Milliseconds since a person's last key. */
  get quietMs(): number {
    return this.#clock.monotonic() - this.#lastKeysAt
  }

  /** A person wants to type: they hold the keyboard if it is free. */
  join(person: KeyboardUser): void {
    this.#people.push(person)
    this.#holder ??= person.id
    if (!this.#announce()) person.holderChanged(this.holder)
  }

  /** Takes the keyboard from its holder, and notifies everyone. */
  takeOver(id: string): boolean {
    if (!this.#people.some(person => person.id === id)) return false
    this.#holder = id
    this.#announce()
    return true
  }

  /** A person leaves. The one who has waited longest is next. */
  detach(id: string): void {
    this.#people = this.#people.filter(person => person.id !== id)
    if (this.#holder === id) this.#holder = this.#people[0]?.id ?? null
    this.#announce()
  }

  /** Whether this person's keys count now; null: a person who is not attached. */
  mayType(id: string | null): boolean {
    if (this.#isOurs) return false
    return this.#holder === null || this.#holder === id
  }

  noteKeys(): void {
    this.#lastKeysAt = this.#clock.monotonic()
  }

  /** Signalbox types: prompts and decisions wait for each other, people's keys are refused. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#ours.then(async () => {
      this.#isOurs = true
      this.#announce()
      try {
        return await work()
      } finally {
        this.#isOurs = false
        this.#announce()
      }
    })
    this.#ours = turn.then(
      () => undefined,
      () => undefined,
    )
    return turn
  }

  /** False: the holder has not changed. */
  #announce(): boolean {
    const now = this.holder
    if (JSON.stringify(now) === JSON.stringify(this.#announced)) return false
    this.#announced = now
    for (const person of this.#people) person.holderChanged(now)
    return true
  }
}
