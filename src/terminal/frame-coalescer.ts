import type { Frame, Row } from './frame.js'

/** Frames closer together than this are classified as one. */
export const COALESCE_MS = 50

/** A frame to classify, with every row that changed since the one before: also rows that have scrolled away meanwhile. */
export interface CoalescedFrame {
  frame: Frame
  /** Newest version of each changed row, in the order of ids. */
  changed: Row[]
  /** How many frames it stands for. */
  count: number
}

/*
 * Not every frame is worth a classification: an agent that draws 60 times a second would be read 60 times a second.
 * The first frame after a pause goes out at once, so a menu is seen without delay; frames within the next 50 ms are held,
 * the newest wins, and goes out when the 50 ms are over. What changed is collected by row id over all of them, so nothing
 * that was drawn and overwritten or scrolled away in between is lost to block extraction.
 *
 * Held frames (after our own resize) are not classified: their changes wait for the first frame that is.
 */
export class FrameCoalescer {
  readonly #interval: number
  #pending: Frame | null = null
  #changed = new Map<number, Row>()
  #count = 0
  #lastSeq = -1
  #lastTime = Number.NEGATIVE_INFINITY

  constructor(intervalMs = COALESCE_MS) {
    this.#interval = intervalMs / 1000
  }

  /** The frames to classify now: one that was due before this one, and this one unless it has to wait for `nextDeadline`. */
  push(frame: Frame): CoalescedFrame[] {
    const due = this.flush(frame.t)
    for (const row of frame.lines) if (row.changedSeq > this.#lastSeq) this.#changed.set(row.id, row)
    this.#count++
    this.#pending = frame.held ? null : frame
    return [...due, ...this.flush(frame.t)]
  }

  nextDeadline(): number | null {
    return this.#pending && this.#lastTime + this.#interval
  }

  /** The waiting frame, if its time has come: none or one. */
  flush(t: number): CoalescedFrame[] {
    const frame = this.#pending
    if (!frame || t < this.#lastTime + this.#interval) return []
    const changed = [...this.#changed.values()].sort((a, b) => a.id - b.id)
    const result = { frame, changed, count: this.#count }
    this.#pending = null
    this.#changed = new Map()
    this.#count = 0
    this.#lastSeq = frame.seq
    // The moment it was due, not the moment of the call: the rhythm must not depend on who looked when.
    this.#lastTime = Math.max(frame.t, this.#lastTime + this.#interval)
    return [result]
  }
}
