import { performance } from 'node:perf_hooks'
import type { Clock, Timer } from './clock.js'

/** The machine's own clock.. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(ms: number, callback: () => void): Timer {
    const handle = setTimeout(callback, ms)
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
