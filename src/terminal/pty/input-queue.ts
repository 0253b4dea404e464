import { writeSync } from 'node:fs'
import { type Clock, systemClock, type Timer } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'

/** The limit for a program that does not read. Typing never reaches it; a paste can. */
const PENDING_MAX = 4 * 1024 * 1024
const RETRY_MS = 5
const RETRY_MAX_MS = 200

/**
 * Input for a PTY. The kernel accepts about 4 kB ahead of the program; the rest waits here. The
 * library would either block the whole process until the program reads, or retry without a pause: a
 * program that does not read must not slow down the others.
 */
export class InputQueue {
  readonly #descriptor: number
  readonly #clock: Clock
  #pending: Uint8Array[] = []
  #size = 0
  #timer: Timer | null = null
  #retryMs = RETRY_MS
  #isClosed = false

  constructor(descriptor: number, clock: Clock = systemClock) {
    this.#descriptor = descriptor
    this.#clock = clock
  }

  /**
   * @throws SignalboxError `E_LIMIT` when too many bytes are waiting; then none of these bytes is
   * written.
   */
  write(bytes: Uint8Array): void {
    if (this.#isClosed || bytes.length === 0) return
    if (this.#size + bytes.length > PENDING_MAX) {
      throw new SignalboxError(
        'E_LIMIT',
        `the program does not read its input: ${this.#size} bytes are waiting; the limit is ${PENDING_MAX}`,
      )
    }
    this.#pending.push(bytes)
    this.#size += bytes.length
    if (!this.#timer) this.#drain()
  }

  /**
   * Stops writing: the descriptor is about to be closed, and its number may soon belong to another
   * file.
   */
  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
    this.#pending = []
    this.#size = 0
  }

  #drain(): void {
    this.#timer = null
    for (let first = this.#pending[0]; first; first = this.#pending[0]) {
      const written = this.#attempt(first)
      if (written === 0) {
        this.#retryLater()
        return
      }
      this.#retryMs = RETRY_MS
      this.#size -= written
      if (written === first.length) this.#pending.shift()
      else this.#pending[0] = first.subarray(written)
    }
  }

  /**
   * The descriptor does not block. EIO: the program no longer reads, and its exit is about to be
   * reported.
   */
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
