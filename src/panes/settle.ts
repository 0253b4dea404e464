import type { Observation } from '../screen/index.js'

/** Looks, and the time between them, that a rest after work must last before it is believed. */
const LOOKS = 3
const GAP_S = 0.1
const MAX_S = 0.7
/** Times are sums of floating-point seconds: a look exactly at its deadline must count. */
const ROUNDING_S = 1e-9

/**
 * Work and menus are believed at once; rest is not. Agents blink: the working row goes away between two tools, the composer comes back for
 * a frame. Leaving a busy view for an idle one needs three looks at least 100 ms apart, or 700 ms, in which nothing else was seen.
 */
export class Settler {
  #isBusy = false
  #since: number | null = null
  #looks = 0
  #lastLook = 0
  #hold: { s: number; until: number } | null = null

  /** A pane that flickers: until then a rest must last this long. */
  hold(s: number, until: number): void {
    this.#hold = { s, until }
  }

  /** True when the observation counts now. */
  accept(observation: Observation, t: number): boolean {
    if (!isRest(observation)) {
      this.#since = null
      this.#isBusy = observation.busy === true || observation.awaiting !== null || this.#isBusy
      return true
    }
    if (!this.#isBusy) return true
    if (this.#since === null) {
      this.#since = t
      this.#looks = 1
      this.#lastLook = t
      return false
    }
    if (t - this.#lastLook >= GAP_S - ROUNDING_S) {
      this.#looks++
      this.#lastLook = t
    }
    const lasted = t - this.#since + ROUNDING_S
    const isHeld = this.#hold !== null && t < this.#hold.until
    if (isHeld ? lasted < this.#hold!.s : this.#looks < LOOKS && lasted < MAX_S) return false
    this.#since = null
    this.#isBusy = false
    return true
  }

  /** When to look again although nothing changed. */
  nextDeadline(): number | null {
    return this.#since === null ? null : this.#lastLook + GAP_S
  }
}

function isRest(observation: Observation): boolean {
  return observation.busy === false && observation.awaiting === null
}
