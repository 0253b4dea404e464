import { writeSync } from 'node:fs'
import { type Clock, systemClock, type Timer } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'

/** Bytes that wait for a program that does not read. A person cannot type so much; a paste can. */
const WAITING_MAX = 4 * 1024 * 1024
const RETRY_MS = 5
const RETRY_MAX_MS = 200

/**
 * Input on its way to a PTY. The kernel takes about 4 kB ahead of the program; the rest waits here. The library would either block the
 * whole process until the program reads, or try again without a pause: one program that does not read must not cost the others anything.
 */
export class InputQueue {
  readonly #descriptor: number
  readonly #clock: Clock
  #waiting: Uint8Array[] = []
  #size = 0
  #timer: Timer | null = null
  #retryMs = RETRY_MS
  #isClosed = false

  constructor(descriptor: number, clock: Clock = systemClock) {
    this.#descriptor = descriptor
    this.#clock = clock
  }

  /** @throws SignalboxError `E_LIMIT` when too much is waiting already; nothing of these bytes is written then. */
  write(bytes: Uint8Array): void {
    if (this.#isClosed || bytes.length === 0) return
    if (this.#size + bytes.length > WAITING_MAX) {
      throw new SignalboxError(
        'E_LIMIT',
        `the program does not read its input: ${this.#size} bytes are waiting, and ${WAITING_MAX} is the limit`,
      )
    }
    this.#waiting.push(bytes)
    this.#size += bytes.length
    if (!this.#timer) this.#drain()
  }

  /** The descriptor is about to be closed, and its number may soon be another file's. */
  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
    this.#waiting = []
    this.#size = 0
  }

  #drain(): void {
    this.#timer = null
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      const written = this.#attempt(first)
      if (written === 0) {
        this.#retryLater()
        return
      }
      this.#retryMs = RETRY_MS
      this.#size -= written
      if (written === first.length) this.#waiting.shift()
      else this.#waiting[0] = first.subarray(written)
    }
  }

  /** The descriptor does not block. EIO: nobody reads any more, and the exit is about to be reported. */
  #attempt(bytes: Uint8Array): number {
    try {
      return writeSync(this.#descriptor, bytes)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0
      return bytes.length
    }
  }

  #retryLater(): void {
    this.#timer = this.#clock.setTimer(this.#retryMs, () => this.#drain())
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS)
  }
}
