/**
 * Time as an argument. All code that waits or records times takes a Clock, so that tests control
 * it.
 */
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
