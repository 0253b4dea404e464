/** Thrown wherever the agent is when the person presses esc. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted')
    this.name = 'Interrupted'
  }
}

/**
 * The pace of the script. `speed` 2 is twice as fast, 0 takes no time at all (but keys and frames
 * are still processed between steps). A `slow` step changes the factor during a turn.
 */
export class Pace {
  private slowness = 1

  constructor(readonly speed: number) {}

  slowDown(factor: number): void {
    this.slowness = factor
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const real = this.speed === 0 ? 0 : (ms * this.slowness) / this.speed
    return sleepExactly(real, signal)
  }
}

export function sleepExactly(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new Interrupted())
    const done = () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    const timer = ms > 0 ? setTimeout(done, ms) : null
    const immediate = timer === null ? setImmediate(done) : null
    const stop = () => {
      if (timer !== null) clearTimeout(timer)
      if (immediate !== null) clearImmediate(immediate)
      reject(new Interrupted())
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** Never resolves; an abort rejects it. */
export function sleepForever(signal?: AbortSignal): Promise<never> {
  const keepAlive = setInterval(() => undefined, 1 << 30)
  return new Promise((_, reject) => {
    const stop = () => {
      clearInterval(keepAlive)
      reject(new Interrupted())
    }
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

/** The value of a promise, unless the person interrupts first. */
export function orInterrupted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Interrupted())
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
