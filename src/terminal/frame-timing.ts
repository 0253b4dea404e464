import type { FrameCause } from './frame.js'

export interface FrameKnobs {
  /** No byte for so long ends a frame. */
  quietMs: number
  /** A frame ends at most this long after its first byte. */
  capMs: number
  /** Synchronized updates that end closer together than this make one frame: the newest. */
  gapMs: number
  /** An open synchronized update is cut after this. */
  syncCapMs: number
  /** No classification for so long after our own resize. */
  resizeHoldMs: number
}

export const DEFAULT_FRAME_KNOBS: FrameKnobs = { quietMs: 16, capMs: 50, gapMs: 50, syncCapMs: 500, resizeHoldMs: 250 }

export interface FrameEnd {
  at: number
  cause: FrameCause
  torn: boolean
}

export interface FrameTimingState {
  /** When the first byte of the open frame came; null: everything that came is in a frame. */
  began: number | null
  lastByte: number
  /** When the open synchronized update began; null: none, or it was cut. */
  syncBegan: number | null
  /** What the program last said; outlives a cut, so that a late end still ends a frame exactly. */
  syncMode: boolean
  /** When the last update made a frame. */
  lastSync: number | null
  /** An update has ended whose frame can wait until then: nothing has been drawn since. */
  deferred: number | null
}

/*
 * When does a frame end? (docs: screen.md 2.1)
 *
 * A program that brackets its drawing with synchronized updates tells us; for the others a short silence does, and a cap
 * keeps endless output from starving the reader. Inside a synchronized update neither silence nor cap counts: the picture
 * is half drawn by the program's own word. An update that stays open too long is cut once and the frame is marked torn;
 * from then on the update counts as ended, as in other terminals, or a program killed in the middle would leave the pane blind.
 *
 * A program may end hundreds of updates in one burst. Only the newest of those within the gap is worth a picture, so the others end without
 * one; a frame that waits is taken when the gap or a silence is over, and is dropped when new bytes begin the next.
 *
 * Time is data. The state changes only when bytes arrive or somebody says what time it is, and a frame that ended by
 * silence bears the moment the silence was long enough, not the moment somebody looked.
 *
 * Symptom → knob: half-drawn menus → quiet up; sluggish reading during builds → cap down; torn frames of a slow agent → sync cap up.
 */
export class FrameTiming {
  readonly #knobs: FrameKnobs
  #state: FrameTimingState

  constructor(knobs: FrameKnobs, state?: FrameTimingState) {
    this.#knobs = knobs
    this.#state = state ?? {
      began: null,
      lastByte: 0,
      syncBegan: null,
      syncMode: false,
      lastSync: null,
      deferred: null,
    }
  }

  get state(): FrameTimingState {
    return { ...this.#state }
  }

  get isSynchronizing(): boolean {
    return this.#state.syncBegan !== null
  }

  bytesArrived(t: number): void {
    this.#state.began ??= t
    this.#state.lastByte = t
    this.#state.deferred = null
  }

  syncStarted(t: number): void {
    if (!this.#state.syncMode) this.#state.syncBegan = t
    this.#state.syncMode = true
  }

  /** True when this ends an update, and with it a frame that is due now. A stray end is nothing. */
  syncEnded(t: number): boolean {
    const wasOpen = this.#state.syncMode
    this.#state.syncMode = false
    this.#state.syncBegan = null
    if (!wasOpen) return false
    const { lastSync } = this.#state
    const due = lastSync === null ? t : lastSync + this.#knobs.gapMs / 1000
    if (t < due) this.#state.deferred = due
    return t >= due
  }

  /** The frame is taken. A synchronized update that was cut counts as over. */
  frameEnded(end: FrameEnd): void {
    this.#state.began = null
    this.#state.deferred = null
    if (end.cause === 'sync') this.#state.lastSync = end.at
    if (end.torn && end.cause === 'cap') this.#state.syncBegan = null
  }

  /** When and how the open frame ends if nothing more happens. */
  nextEnd(): FrameEnd | null {
    const { began, lastByte, syncBegan, deferred } = this.#state
    if (syncBegan !== null) return { at: syncBegan + this.#knobs.syncCapMs / 1000, cause: 'cap', torn: true }
    if (began === null) return null
    const quiet = lastByte + this.#knobs.quietMs / 1000
    if (deferred !== null) return { at: Math.min(deferred, quiet), cause: 'sync', torn: false }
    const cap = began + this.#knobs.capMs / 1000
    return quiet <= cap ? { at: quiet, cause: 'quiet', torn: false } : { at: cap, cause: 'cap', torn: false }
  }
}
