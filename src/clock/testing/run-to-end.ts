import type { SimulatedClock } from '../simulated-clock.js'

/**
 * Runs work that waits on a simulated clock to its end: time advances by a step whenever nothing
 * else can run.
 */
export async function runToEnd<T>(clock: SimulatedClock, work: Promise<T>, stepMs = 5): Promise<T> {
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  over.catch(() => undefined)
  for (let steps = 0; !isOver; steps++) {
    if (steps > 100_000) throw new Error('the work does not end')
    await new Promise(resolve => setImmediate(resolve))
    if (!isOver) clock.advance(stepMs)
  }
  return over
}
