import type { Clock } from '../../clock/index.js'

/** Someone at an attached terminal who may type, or wants to. */
export interface Person {
  id: string
  name: string
  /** Told whenever another one holds the keyboard, or Signalbox itself does. */
  held(by: Holder): void
}

export type Holder = { kind: 'person'; id: string; name: string } | { kind: 'signalbox' } | { kind: 'nobody' }

const NOBODY: Holder = { kind: 'nobody' }
const OURSELVES: Holder = { kind: 'signalbox' }

/**
 * One keyboard, many hands. One attached person holds it: their keys and their terminal's size count, the others watch until they take it
 * over. While Signalbox types a prompt or a decision nobody else's keys pass, so that nothing is ever typed in between.
 */
export class Keyboard {
  readonly #clock: Clock
  #people: Person[] = []
  #holder: string | null = null
  #ours: Promise<void> = Promise.resolve()
  #isOurs = false
  #told = NOBODY
  #lastKeysAt = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get holder(): Holder {
    if (this.#isOurs) return OURSELVES
    const person = this.#people.find(({ id }) => id === this.#holder)
    return person ? { kind: 'person', id: person.id, name: person.name } : NOBODY
  }

  /** Milliseconds since a person's last key. */
  get quietMs(): number {
    return this.#clock.monotonic() - this.#lastKeysAt
  }

  /** A person wants to type: they do if nobody else does. */
  join(person: Person): void {
    this.#people.push(person)
    this.#holder ??= person.id
    if (!this.#tell()) person.held(this.holder)
  }

  /** Takes the keyboard from whoever has it; they are told. */
  take(id: string): boolean {
    if (!this.#people.some(person => person.id === id)) return false
    this.#holder = id
    this.#tell()
    return true
  }

  /** Gone. The one who has waited longest comes next. */
  leave(id: string): void {
    this.#people = this.#people.filter(person => person.id !== id)
    if (this.#holder === id) this.#holder = this.#people[0]?.id ?? null
    this.#tell()
  }

  /** Whether this person's keys count now; null stands for someone who is not attached. */
  mayType(id: string | null): boolean {
    if (this.#isOurs) return false
    return this.#holder === null || this.#holder === id
  }

  noteKeys(): void {
    this.#lastKeysAt = this.#clock.monotonic()
  }

  /** Our own typing: prompts and decisions wait for each other, and attached people are kept out meanwhile. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#ours.then(async () => {
      this.#isOurs = true
      this.#tell()
      try {
        return await work()
      } finally {
        this.#isOurs = false
        this.#tell()
      }
    })
    this.#ours = turn.then(
      () => undefined,
      () => undefined,
    )
    return turn
  }

  /** False: all know it already. */
  #tell(): boolean {
    const now = this.holder
    if (JSON.stringify(now) === JSON.stringify(this.#told)) return false
    this.#told = now
    for (const person of this.#people) person.held(now)
    return true
  }
}
