import type { Observation } from '../screen/index.js'

/*
 * A rest is accepted late, because a working agent flickers. But some agents end a turn with a
 * dedicated row ("Worked for 12s", "Interrupted"), with nothing below it but the live input box:
 * then there is nothing to wait for, the end was declared.
 *
 * Only a row that appeared with the end counts. A row that was already there during the work ended
 * an earlier turn: work that starts without a prompt (a finished background task wakes the agent)
 * is drawn below it, and its flicker must be waited out as usual.
 *
 * Not its responsibility: the phases of a session, which keep waiting until the rest has settled.
 */
export class DeclaredEnd {
  #isOpen = false

  /** True if this look shows the end of the work seen before it. */
  see(observation: Observation): boolean {
    const { busy, awaiting, terminator, anchored } = observation
    if (busy === true || awaiting !== null) {
      this.#isOpen = terminator === null
      return false
    }
    return this.#isOpen && busy === false && anchored && terminator !== null
  }
}
