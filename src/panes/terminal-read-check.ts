/*
 * A menu on the screen of a shell that marks its commands: does the command ask, or did it only
 * print? Its text cannot show whether it takes keys. So the owner of the pane checks whether the
 * program reads its terminal (`src/process/reads-terminal.ts`): first when the menu has stayed long
 * enough to be accepted, and again each second while the result is no, because a program may draw
 * first and read later.
 *
 * If no check is possible (a recording, another system), or it has no result, the menu is accepted
 * as it is.
 */
export const MENU_STABLE_S = 1
const CHECK_AGAIN_S = 1

export interface TerminalReadResult {
  reads: 'yes' | 'no' | 'unknown'
  how: string
}

export class TerminalReadCheck {
  /** Whether the owner of the pane can check the program. */
  canCheck = false
  #menuSince: number | null = null
  #checkedAt: number | null = null
  #result: TerminalReadResult['reads'] | null = null

  /** Another menu, or none, needs a new check. */
  follow(menuSince: number | null): void {
    if (menuSince === this.#menuSince) return
    this.#menuSince = menuSince
    this.#checkedAt = null
    this.#result = null
  }

  /** Whether the menu counts: it stayed, and the program reads its terminal. */
  menuCounts(t: number): boolean {
    if (this.#menuSince === null || t - this.#menuSince < MENU_STABLE_S) return false
    if (!this.canCheck) this.#checkedAt ??= t
    return !this.canCheck || this.#result === 'yes' || this.#result === 'unknown'
  }

  /** True if a check is due now; it then counts as started. */
  isDue(t: number): boolean {
    if (!this.canCheck || this.#menuSince === null || t - this.#menuSince < MENU_STABLE_S) return false
    if (this.#result === 'yes' || this.#result === 'unknown') return false
    if (this.#checkedAt !== null && t - this.#checkedAt < CHECK_AGAIN_S) return false
    this.#checkedAt = t
    return true
  }

  /** Takes the result; one for another menu is ignored. */
  applyResult({ reads }: TerminalReadResult): void {
    if (this.#checkedAt !== null) this.#result = reads
  }

  /** When the first check is due; later ones come with the tick. */
  nextDeadline(): number | null {
    if (this.#menuSince === null || this.#checkedAt !== null) return null
    return this.#menuSince + MENU_STABLE_S
  }
}
