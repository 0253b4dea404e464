import { performance } from 'node:perf_hooks'
import type { Clock, Timer } from './clock.js'

/** Longer waits overflow Node's timers, which then fire at once: they are split into parts. */
const TIMER_MAX_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(ms: number, callback: () => void): Timer {
    let left = ms
    let handle: NodeJS.Timeout
    const wait = () => {
      const part = Math.min(left, TIMER_MAX_MS)
      left -= part
      handle = setTimeout(left > 0 ? wait : callback, part)
    }
    wait()
    return { cancel: () => clearTimeout(handle) }
  },
}

/** Resolves after `ms` on the given clock, or at once when the signal aborts. */
export function delay(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal?.aborted) return resolve()
    const timer = clock.setTimer(ms, done)
    function done() {
      timer.cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    signal?.addEventListener('abort', done, { once: true })
  })
}

/**
 * Calls back after `ms`, unless the process has ended by itself before: it does not wait for this.
 */
export function setDeadline(ms: number, callback: () => void): void {
  setTimeout(callback, ms).unref()
}
