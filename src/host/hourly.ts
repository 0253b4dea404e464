import type { Clock, Timer } from '../clock/index.js'

const EVERY_MS = 3_600_000

/** Work that is done when the host opens, and once an hour while it lives. */
export abstract class Hourly {
  readonly #every: { clock: Clock; onError(error: unknown): void }
  #timer: Timer | null = null

  constructor(every: { clock: Clock; onError(error: unknown): void }) {
    this.#every = every
  }

  abstract sweep(): Promise<void>

  start(): void {
    const { clock, onError } = this.#every
    void this.sweep().catch(onError)
    this.#timer = clock.setTimer(EVERY_MS, () => this.start())
  }

  stop(): void {
    this.#timer?.cancel()
  }
}
