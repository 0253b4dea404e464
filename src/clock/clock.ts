/** Time as an argument. Everything that waits or stamps takes a Clock, so that tests turn it by hand. */
export interface Clock {
  /** Wall time in milliseconds since the epoch: for people and for the log. May step. */
  now(): number
  /** Milliseconds that only ever grow: for durations and deadlines. */
  monotonic(): number
  /** Calls back once after `ms`; `cancel()` is safe at any time. */
  setTimer(ms: number, callback: () => void): Timer
}

export interface Timer {
  cancel(): void
}
