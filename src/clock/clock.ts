/** Time as an argument: code that waits or records takes a Clock, for tests. */
export interface Clock {
  /** Wall time in milliseconds since the epoch: for people and for the log. It may jump. */
  now(): number
  /** Milliseconds that never decrease: for durations and deadlines. */
  monotonic(): number
  /** Calls `callback` once after `ms`; `cancel()` is safe at any time. */
  setTimer(ms: number, callback: () => void): Timer
}

export interface Timer {
  cancel(): void
}
