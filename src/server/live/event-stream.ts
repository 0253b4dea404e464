import { frameOf } from './event-feed.js'

/** A reader that lets more than this wait is sent away; its cursor makes it whole when it comes back. */
const WAITING_EVENTS_MAX = 1_000
const WAITING_BYTES_MAX = 1024 * 1024

interface Waiting {
  frame: string
  /** Of frames with the same key only the newest matters. */
  key?: string
}

/**
 * What one reader has still to be sent. Nothing here waits for the reader: a slow one costs a bounded queue and then its connection,
 * never anybody else's time.
 */
export class EventQueue {
  #waiting: Waiting[] = []
  #bytes = 0
  #wake: (() => void) | null = null
  #isEnding = false
  #onEnding: (() => void) | null = null

  /** Called once, when a goodbye has been put in. */
  onEnding(callback: () => void): void {
    this.#onEnding = callback
    if (this.#isEnding) callback()
  }

  /** In the log, so it must arrive or the reader must be told to come back. */
  push(frame: string): void {
    if (this.#isEnding) return
    this.#waiting.push({ frame })
    this.#bytes += frame.length
    // A reader that waits for more keeps up, however much comes at once.
    const isTooMuch = this.#waiting.length > WAITING_EVENTS_MAX || this.#bytes > WAITING_BYTES_MAX
    if (isTooMuch && !this.#wake) this.end('slow')
    else this.#wake?.()
  }

  /** Not in the log: the newest of a kind takes the place of one that still waits. */
  pushLatest(key: string, frame: string): void {
    if (this.#isEnding) return
    const before = this.#waiting.find(waiting => waiting.key === key)
    if (before) {
      this.#bytes += frame.length - before.frame.length
      before.frame = frame
    } else {
      this.#waiting.push({ frame, key })
      this.#bytes += frame.length
    }
    if (this.#bytes > WAITING_BYTES_MAX && !this.#wake) this.end('slow')
    else this.#wake?.()
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
    while (this.#waiting.length === 0) {
      if (this.#isEnding) return null
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
      this.#wake = null
    }
    const text = this.#waiting.map(({ frame }) => frame).join('')
    this.#waiting = []
    this.#bytes = 0
    return text
  }

  /** The reader is gone. */
  abort(): void {
    this.#isEnding = true
    this.#waiting = []
    this.#wake?.()
  }

  get isEnding(): boolean {
    return this.#isEnding
  }

  get waiting(): number {
    return this.#waiting.length
  }
}
