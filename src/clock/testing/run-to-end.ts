import type { SimulatedClock } from '../simulated-clock.js'

/**
 * Runs work that waits on a simulated clock to its end: time advances by a step whenever nothing
 * else can run. `settled` resolves when calls that leave the process have returned, so that no time
 * passes during them.
 */
export async function runToEnd<T>(
  clock: SimulatedClock,
  work: Promise<T>,
  { stepMs = 5, settled = nextTurn }: { stepMs?: number; settled?: () => Promise<void> } = {},
): Promise<T> {
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  over.catch(() => undefined)
  for (let steps = 0; !isOver; steps++) {
    if (steps > 100_000) throw new Error('the work does not end')
    await settled()
    if (!isOver) clock.advance(stepMs)
  }
  return over
}

function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
