import { batch } from '@preact/signals'

/** Shortest delay between two batches. */
const DELAY_MIN_MS = 60
/** Longest delay between two batches. */
const DELAY_MAX_MS = 180
/**
 * Pause per millisecond of work: the page spends at most a fifth of its time on ephemeral updates.
 */
const PAUSE_FACTOR = 4
/** Ephemeral updates wait this long when something more urgent is drawn. */
const DEFER_MS = 80
/** A round that takes longer than this was drawn by a busy machine. */
const BUSY_MS = 50
/** After this time the cost of the last round says nothing about the machine any more. */
const COST_VALID_MS = 2_000

let lastRound = { at: Number.NEGATIVE_INFINITY, cost: 0 }

/** Whether the machine has time for animations: on a busy one they delay everything else. */
export function hasTimeToAnimate(): boolean {
  return lastRound.cost < BUSY_MS || performance.now() - lastRound.at > COST_VALID_MS
}

/**
 * Ephemeral updates that arrive faster than a person can read. Only the newest of each key is kept,
 * and all are applied together, as often as the page can afford: with a few panes at once, with
 * hundreds on a slow machine a few times a second.
 */
export class Latest {
  #waiting = new Map<string, () => void>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #nextAt = 0
  #notBefore = 0

  put(key: string, apply: () => void): void {
    this.#waiting.set(key, apply)
    if (this.#timer === undefined) this.#startTimer()
  }

  /**
   * Delays the updates, so that something urgent is drawn first. Several calls in a row delay them
   * no longer than one.
   */
  defer(): void {
    const now = performance.now()
    if (now < this.#notBefore) return
    this.#notBefore = now + DEFER_MS
    this.#restartTimer()
  }

  #startTimer(): void {
    const at = Math.max(this.#nextAt, this.#notBefore)
    this.#timer = setTimeout(() => this.#flush(), Math.max(0, at - performance.now()))
  }

  #restartTimer(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#startTimer()
  }

  #flush(): void {
    const startedAt = performance.now()
    const waiting = this.#waiting
    this.#waiting = new Map()
    this.#timer = undefined
    this.#nextAt = startedAt + DELAY_MAX_MS
    batch(() => {
      for (const apply of waiting.values()) apply()
    })
    // A hidden page draws nothing and keeps the longest delay.
    if (document.visibilityState !== 'visible') return
    afterFrame(() => {
      const cost = performance.now() - startedAt
      lastRound = { at: startedAt, cost }
      this.#nextAt = startedAt + Math.min(DELAY_MAX_MS, Math.max(DELAY_MIN_MS, cost * (PAUSE_FACTOR + 1)))
      this.#restartTimer()
    })
  }
}

/** Calls `done` after the browser has painted the next frame. */
function afterFrame(done: () => void): void {
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      done()
    }
    port2.postMessage(null)
  })
}
