import type { Frame, FrameCause } from './frame.js'

export interface FrameSettings {
  /** A frame ends when no byte arrives for this long. */
  quietMs: number
  /** A frame ends at most this long after its first byte. */
  capMs: number
  /** Synchronized updates that end closer together than this make one frame: the newest. */
  gapMs: number
  /** An open synchronized update is cut after this time. */
  syncCapMs: number
  /** No frame is classified for this long after our own resize. */
  resizeSuppressMs: number
}

export const DEFAULT_FRAME_SETTINGS: FrameSettings = {
  quietMs: 16,
  capMs: 50,
  gapMs: 50,
  syncCapMs: 500,
  resizeSuppressMs: 250,
}

export interface FrameEnd {
  at: number
  cause: FrameCause
  torn: boolean
}

export interface FrameTimingState {
  /** When the first byte of the open frame arrived; null when every byte is in a frame. */
  began: number | null
  lastByte: number
  /** When the open synchronized update started; null when none is open or it was cut. */
  syncBegan: number | null
  /** The mode that the program set last. It outlives a cut: a late end still counts. */
  syncMode: boolean
  /** When an update last ended a frame. */
  lastSync: number | null
  /** An update has ended and its frame may wait until this time: nothing has been drawn since. */
  deferred: number | null
}

/*
 * When does a frame end?
 *
 * A program that uses synchronized updates marks the end of each drawing. For other programs a
 * short silence does, and a cap keeps endless output from starving the reader. Inside a
 * synchronized update neither silence nor cap counts: the program itself says that the screen is
 * half drawn. An update that stays open too long is cut once and the frame is marked torn; from
 * then on the update counts as ended, as in other terminals. Otherwise a program that is killed in
 * the middle would block the pane for good.
 *
 * A program may end hundreds of updates in one burst. Only the newest of those within the gap
 * becomes a frame; the others end without one. A frame that waits is taken when the gap or a
 * silence is over, and is dropped when new bytes start the next one.
 *
 * Time is data. The state changes only when bytes arrive or a caller passes the time. A frame that
 * ended by silence has the time at which the silence was long enough, not the time of the call.
 *
 * Symptom → setting: half-drawn menus → quiet up; slow reading during builds → cap down; torn
 * frames of a slow agent → sync cap up.
 */
export class FrameTiming {
  readonly #settings: FrameSettings
  #state: FrameTimingState

  constructor(settings: FrameSettings, state?: FrameTimingState) {
    this.#settings = settings
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

  /** True when this ends an update and so a frame. An end without a start is ignored. */
  syncEnded(t: number): boolean {
    const wasOpen = this.#state.syncMode
    this.#state.syncMode = false
    this.#state.syncBegan = null
    if (!wasOpen) return false
    const { lastSync } = this.#state
    const due = lastSync === null ? t : lastSync + this.#settings.gapMs / 1000
    if (t < due) this.#state.deferred = due
    return t >= due
  }

  /** The frame was taken. A synchronized update that was cut counts as ended. */
  frameEnded(end: FrameEnd): void {
    this.#state.began = null
    this.#state.deferred = null
    if (end.cause === 'sync') this.#state.lastSync = end.at
    if (end.torn && end.cause === 'cap') this.#state.syncBegan = null
  }

  nextEnd(): FrameEnd | null {
    const { began, lastByte, syncBegan, deferred } = this.#state
    if (syncBegan !== null) return { at: syncBegan + this.#settings.syncCapMs / 1000, cause: 'cap', torn: true }
    if (began === null) return null
    const quiet = lastByte + this.#settings.quietMs / 1000
    if (deferred !== null) return { at: Math.min(deferred, quiet), cause: 'sync', torn: false }
    const cap = began + this.#settings.capMs / 1000
    return quiet <= cap ? { at: quiet, cause: 'quiet', torn: false } : { at: cap, cause: 'cap', torn: false }
  }
}

/** Frames closer together than this are classified as one. */
const COALESCE_MS = 50

/*
 * Not every frame is worth a classification: an agent that draws 60 times a second would be read 60
 * times a second. The first frame after a pause is passed on at once, so a menu is seen without
 * delay. Frames within the next 50 ms wait, the newest replaces the others, and it is passed on
 * when the 50 ms are over.
 *
 * Suppressed frames (after our own resize) are not classified.
 */
export class FrameCoalescer {
  readonly #interval: number
  #pending: Frame | null = null
  #lastTime = Number.NEGATIVE_INFINITY

  constructor(intervalMs = COALESCE_MS) {
    this.#interval = intervalMs / 1000
  }

  /** The frames to classify now: an overdue one, and this one unless it must wait. */
  push(frame: Frame): Frame[] {
    const due = this.flush(frame.t)
    this.#pending = frame.suppressed ? null : frame
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
