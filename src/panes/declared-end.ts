import type { Observation } from '../screen/index.js'

/*
 * A rest is believed late, because an agent that works on blinks. But some agents close a turn with a row of its own ("Worked for 12s",
 * "Interrupted"), and nothing is written below it but the live input box: then nothing is left to wait for, the end was declared.
 *
 * Only a row that came with the end counts. One that already stood there while the agent was at work closed an earlier turn: work that
 * begins without a prompt (a finished background task wakes the agent) is drawn below it, and its blinks must be waited out as any other.
 *
 * Not its business: the phases of a session, which go on waiting until the rest has settled.
 */
export class DeclaredEnd {
  #isOpen = false

  /** True when this look shows the end of the work that was seen before it. */
  see(observation: Observation): boolean {
    const { busy, awaiting, terminator, anchored } = observation
    if (busy === true || awaiting !== null) {
      this.#isOpen = terminator === null
      return false
    }
    return this.#isOpen && busy === false && anchored && terminator !== null
  }
}
