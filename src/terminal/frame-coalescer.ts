import type { Frame } from './frame.js'

/** Frames closer together than this are classified as one. */
const COALESCE_MS = 50

/*
 * Not every frame is worth a classification: an agent that draws 60 times a second would be read 60
 * times a second. The first frame after a pause is passed on at once, so a menu is seen without
 * delay. Frames within the next 50 ms wait, the newest replaces the others, and it is passed on
 * when the 50 ms are over.
 *
 * Held frames (after our own resize) are not classified.
 */
export class FrameCoalescer {
  readonly #interval: number
  #pending: Frame | null = null
  #lastTime = Number.NEGATIVE_INFINITY

  constructor(intervalMs = COALESCE_MS) {
    this.#interval = intervalMs / 1000
  }

  /**
   * The frames to classify now: one that was due before this one, and this one unless it must wait
   * for `nextDeadline`.
   */
  push(frame: Frame): Frame[] {
    const due = this.flush(frame.t)
    this.#pending = frame.held ? null : frame
    return [...due, ...this.flush(frame.t)]
  }

  nextDeadline(): number | null {
    return this.#pending && this.#lastTime + this.#interval
  }

  /** The waiting frame if it is due: none or one. */
  flush(t: number): Frame[] {
    const frame = this.#pending
    if (!frame || t < this.#lastTime + this.#interval) return []
    this.#pending = null
    // The time at which it was due, not the time of the call: the rhythm must not depend on when
    // the caller checks.
    this.#lastTime = Math.max(frame.t, this.#lastTime + this.#interval)
    return [frame]
  }
}
