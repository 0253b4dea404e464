import type { Observation } from '../screen/index.js'

/**
 * How many looks, and how far apart, a rest after work must last before it is accepted; or the time
 * after which one look is enough.
 */
export interface SettleKnobs {
  looks: number
  gapS: number
  maxS: number
}
const KNOBS: SettleKnobs = { looks: 3, gapS: 0.1, maxS: 0.7 }
/** Times are sums of floating-point seconds: a look exactly at its deadline must count. */
const ROUNDING_S = 1e-9

/**
 * Work and menus are accepted at once; rest is not. Agents flicker: the working row disappears
 * between two tools, the composer returns for a frame. Changing from a busy view to an idle one
 * needs three looks at least 100 ms apart, or 700 ms, with nothing else in between.
 */
export class Settler {
  #isBusy = false
  /** Something other than dialogs has been seen. */
  #hasStarted = false
  #since: number | null = null
  #looks = 0
  #lastLook = 0
  #knobs = KNOBS
  #hold: { s: number; until: number } | null = null

  tune(knobs: SettleKnobs): void {
    this.#knobs = knobs
  }

  /** For a pane that flickers: until then a rest must last this long. */
  hold(s: number, until: number): void {
    this.#hold = { s, until }
  }

  /**
   * True if the observation counts now. `isCertain`: the program itself declares its rest, there is
   * nothing to wait for; `isTurning`: a spinner still turns, so the time of the rest has not
   * started.
   */
  accept(
    observation: Observation,
    t: number,
    { isCertain = false, isTurning = false }: { isCertain?: boolean; isTurning?: boolean } = {},
  ): boolean {
    if (!isRest(observation)) {
      this.#since = null
      this.#isBusy = observation.busy === true || observation.awaiting !== null || this.#isBusy
      this.#hasStarted ||= observation.busy === true
      return true
    }
    // A startup dialog (trust, a key, a theme) has been answered: no work can return after it.
    if (!this.#isBusy || isCertain || !this.#hasStarted) {
      this.#rest()
      return true
    }
    if (this.#since === null || isTurning) {
      this.#since = t
      this.#looks = 1
      this.#lastLook = t
      return false
    }
    if (t - this.#lastLook >= this.#knobs.gapS - ROUNDING_S) {
      this.#looks++
      this.#lastLook = t
    }
    const lasted = t - this.#since + ROUNDING_S
    const isHeld = this.#hold !== null && t < this.#hold.until
    if (isHeld ? lasted < this.#hold!.s : this.#looks < this.#knobs.looks && lasted < this.#knobs.maxS) return false
    this.#rest()
    return true
  }

  #rest(): void {
    this.#since = null
    this.#isBusy = false
    this.#hasStarted = true
  }

  /** When to read again although nothing changed. */
  nextDeadline(): number | null {
    return this.#since === null ? null : this.#lastLook + this.#knobs.gapS
  }
}

function isRest(observation: Observation): boolean {
  return observation.busy === false && observation.awaiting === null
}
