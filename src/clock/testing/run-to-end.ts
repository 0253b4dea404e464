import type { SimulatedClock } from '../simulated-clock.js'

/** Lets work that waits on a simulated clock go to its end: time moves on by a step whenever everything else is at rest. */
export async function runToEnd<T>(clock: SimulatedClock, work: Promise<T>, stepMs = 5): Promise<T> {
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  over.catch(() => undefined)
  for (let steps = 0; !isOver; steps++) {
    if (steps > 100_000) throw new Error('the work never ends')
    await new Promise(resolve => setImmediate(resolve))
    if (!isOver) clock.advance(stepMs)
  }
  return over
}
