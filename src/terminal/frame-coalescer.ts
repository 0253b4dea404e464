import type { Frame, Row } from './frame.js'

/** Frames closer together than this are classified as one. */
export const COALESCE_MS = 50

/**
 * A frame to classify, with every row that changed since the previous one, also rows that have
 * scrolled away since.
 */
export interface CoalescedFrame {
  frame: Frame
  /** The newest version of each changed row, in the order of ids. */
  changed: Row[]
  /** How many frames it replaces. */
  count: number
}

/*
 * Not every frame is worth a classification: an agent that draws 60 times a second would be read 60
 * times a second. The first frame after a pause is passed on at once, so a menu is seen without
 * delay. Frames within the next 50 ms wait, the newest replaces the others, and it is passed on
 * when the 50 ms are over. The changed rows are collected by id over all of them, so block
 * extraction misses nothing that was drawn and overwritten or scrolled away in between.
 *
 * Held frames (after our own resize) are not classified: their changes wait for the first frame
 * that is.
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

  /**
   * The frames to classify now: one that was due before this one, and this one unless it must wait
   * for `nextDeadline`.
   */
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

  /** The waiting frame if it is due: none or one. */
  flush(t: number): CoalescedFrame[] {
    const frame = this.#pending
    if (!frame || t < this.#lastTime + this.#interval) return []
    const changed = [...this.#changed.values()].sort((a, b) => a.id - b.id)
    const result = { frame, changed, count: this.#count }
    this.#pending = null
    this.#changed = new Map()
    this.#count = 0
    this.#lastSeq = frame.seq
    // The time at which it was due, not the time of the call: the rhythm must not depend on when
    // the caller checks.
    this.#lastTime = Math.max(frame.t, this.#lastTime + this.#interval)
    return [result]
  }
}
