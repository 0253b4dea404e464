/*
 * A menu on the screen of a shell that marks its commands: does the command ask, or did it only print? Its text cannot tell. Whoever can see
 * the program itself is asked whether it reads its terminal (`src/process/reads-terminal.ts`); he is asked only when a menu has stood long
 * enough to be believed, and again each second while he says no, because a program may draw first and read later.
 *
 * Where nobody can see the program (a recording, another system), and where he cannot tell, the menu is believed as it stands.
 */
export const MENU_STANDS_S = 1
const ASK_AGAIN_S = 1

export interface TerminalWitness {
  reads: 'yes' | 'no' | 'unknown'
  how: string
}

export class MenuWitness {
  /** Somebody can see the program. */
  isPresent = false
  #menuSince: number | null = null
  #askedAt: number | null = null
  #said: TerminalWitness['reads'] | null = null

  /** Another menu, or none, is another question. */
  follow(menuSince: number | null): void {
    if (menuSince === this.#menuSince) return
    this.#menuSince = menuSince
    this.#askedAt = null
    this.#said = null
  }

  /** The menu counts: it has stood, and the program reads its terminal as far as anybody can tell. */
  isHeeded(t: number): boolean {
    if (this.#menuSince === null || t - this.#menuSince < MENU_STANDS_S) return false
    if (!this.isPresent) this.#askedAt ??= t
    return !this.isPresent || this.#said === 'yes' || this.#said === 'unknown'
  }

  /** True: the witness is to be asked now; he is then taken to be asked. */
  isDue(t: number): boolean {
    if (!this.isPresent || this.#menuSince === null || t - this.#menuSince < MENU_STANDS_S) return false
    if (this.#said === 'yes' || this.#said === 'unknown') return false
    if (this.#askedAt !== null && t - this.#askedAt < ASK_AGAIN_S) return false
    this.#askedAt = t
    return true
  }

  /** What he says; the answer to a question about another menu is none. */
  hear({ reads }: TerminalWitness): void {
    if (this.#askedAt !== null) this.#said = reads
  }

  /** When the menu has stood, and he is to be asked first; later questions come with the tick. */
  nextDeadline(): number | null {
    if (this.#menuSince === null || this.#askedAt !== null) return null
    return this.#menuSince + MENU_STANDS_S
  }
}
