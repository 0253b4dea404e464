import type { Clock, Timer } from '../../clock/index.js'
import { frameOf } from './event-feed.js'

/** A reader that lets more than this wait is sent away; its cursor makes it whole when it comes back. */
const WAITING_EVENTS_MAX = 1_000
const WAITING_BYTES_MAX = 1024 * 1024

/**
 * What merely passes is sent this often at most, and together: a browser pays for every piece that arrives, however small, and two hundred
 * panes would send it hundreds a second. What is in the log waits for nothing, and takes along what waits.
 */
export const PASSING_MS = 50

interface QueueOptions {
  /** Without one nothing is held back. */
  clock?: Clock | null
  passingMs?: number
}

interface Waiting {
  frame: string
}

/**
 * What one reader has still to be sent. Nothing here waits for the reader: a slow one costs a bounded queue and then its connection,
 * never anybody else's time.
 */
export class EventQueue {
  readonly #clock: Clock | null
  readonly #passingMs: number
  #waiting: Waiting[] = []
  /** Of frames with the same key only the newest matters. */
  #passing = new Map<string, Waiting>()
  /** Something waits that must not. */
  #isUrgent = false
  /** Sooner than this nothing is sent that merely passes. */
  #restUntil = Number.NEGATIVE_INFINITY
  #timer: Timer | null = null
  #bytes = 0
  #wake: (() => void) | null = null
  #isEnding = false
  #onEnding: (() => void) | null = null

  constructor({ clock = null, passingMs = PASSING_MS }: QueueOptions = {}) {
    this.#clock = clock
    this.#passingMs = passingMs
  }

  /** Called once, when a goodbye has been put in. */
  onEnding(callback: () => void): void {
    this.#onEnding = callback
    if (this.#isEnding) callback()
  }

  /** In the log, so it must arrive or the reader must be told to come back. What is not urgent may rest with what merely passes. */
  push(frame: string, { isUrgent = true } = {}): void {
    if (this.#isEnding) return
    this.#waiting.push({ frame })
    this.#bytes += frame.length
    if (isUrgent) this.#isUrgent = true
    // A reader that waits for more keeps up, however much comes at once.
    const isTooMuch = this.#waiting.length > WAITING_EVENTS_MAX || this.#bytes > WAITING_BYTES_MAX
    if (isTooMuch && !this.#wake) this.end('slow')
    else if (this.#isDue()) this.#wake?.()
  }

  /** Not in the log: the newest of a kind takes the place of one that still waits. */
  pushLatest(key: string, frame: string): void {
    if (this.#isEnding) return
    const before = this.#passing.get(key)
    if (before) {
      this.#bytes += frame.length - before.frame.length
      before.frame = frame
    } else {
      const waiting = { frame }
      this.#waiting.push(waiting)
      this.#passing.set(key, waiting)
      this.#bytes += frame.length
    }
    if (this.#bytes > WAITING_BYTES_MAX && !this.#wake) this.end('slow')
    else if (this.#isDue()) this.#wake?.()
  }

  /** Says goodbye, and why; what waited is dropped. */
  end(reason: string): void {
    if (this.#isEnding) return
    this.#isEnding = true
    this.#waiting = [{ frame: frameOf('bye', JSON.stringify({ reason })) }]
    this.#wake?.()
    this.#onEnding?.()
  }

  /** Nothing more comes: what waits is still sent, then it is over. */
  finish(): void {
    this.#isEnding = true
    this.#wake?.()
  }

  /** All that waits as one text; null when it is over. */
  async next(): Promise<string | null> {
    while (!this.#isDue()) {
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
      this.#wake = null
    }
    if (this.#waiting.length === 0) return null
    const text = this.#waiting.map(({ frame }) => frame).join('')
    this.#waiting = []
    this.#passing.clear()
    this.#isUrgent = false
    this.#bytes = 0
    this.#restUntil = (this.#clock?.monotonic() ?? 0) + this.#passingMs
    return text
  }

  /** There is something to send, or nothing will ever be. What has to rest is looked at again when it has. */
  #isDue(): boolean {
    if (this.#isEnding) return true
    if (this.#waiting.length === 0) return false
    const rest = this.#clock === null || this.#isUrgent ? 0 : this.#restUntil - this.#clock.monotonic()
    if (rest <= 0) return true
    this.#timer ??= this.#clock!.setTimer(rest, () => {
      this.#timer = null
      this.#wake?.()
    })
    return false
  }

  /** The reader is gone. */
  abort(): void {
    this.#isEnding = true
    this.#waiting = []
    this.#timer?.cancel()
    this.#wake?.()
  }

  get isEnding(): boolean {
    return this.#isEnding
  }

  get waiting(): number {
    return this.#waiting.length
  }
}
