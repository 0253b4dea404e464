import { describe, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import { CatchUpQueue, type Pause } from './catch-up-queue.js'

const clock = new SimulatedClock()

/** Reads in steps of 4 ms each, and notes in which round of the event loop. */
function reader(name: string, steps: number, read: string[], turn: () => number) {
  return async (pause: Pause) => {
    for (let step = 0; step < steps; step++) {
      await pause()
      clock.advance(4)
      read.push(`${name}@${turn()}`)
    }
  }
}

/** Counts rounds of the event loop until all is read. */
async function run(queue: CatchUpQueue, body: (turn: () => number) => void): Promise<number> {
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  body(() => turns)
  queue.start()
  setImmediate(count)
  await queue.untilEmpty()
  isOver = true
  return turns
}

describe('sessions that catch up', () => {
  test('take turns in slices, the one with the least to read first, among equals the newest', async () => {
    const queue = new CatchUpQueue(clock)
    const read: string[] = []
    await run(queue, turn => {
      void queue.add('large', 900, reader('large', 6, read, turn))
      void queue.add('small', 10, reader('small', 2, read, turn))
      void queue.add('newer', 10, reader('newer', 1, read, turn))
    })
    const names = read.map(step => step.split('@')[0])
    expect(names).toEqual(['newer', 'small', 'small', ...Array(6).fill('large')])
    // No round of the event loop has more than one slice, and a slice starts no step after 10 ms.
    const turns = read.map(step => step.split('@')[1])
    for (const turn of new Set(turns)) expect(turns.filter(other => other === turn).length).toBeLessThanOrEqual(3)
  })

  test('are read before others if a caller waits for them', async () => {
    const queue = new CatchUpQueue(clock)
    const read: string[] = []
    let waited = false
    await run(queue, turn => {
      void queue.add('first', 1, reader('first', 9, read, turn))
      void queue.add('wanted', 100, reader('wanted', 3, read, turn))
      void queue.until('wanted').then(() => {
        waited = true
        expect(queue.has('wanted')).toBe(false)
        expect(queue.has('first')).toBe(true)
      })
    })
    expect(waited).toBe(true)
    expect(read[0]).toMatch(/^wanted/)
  })

  test('do not stop the others when one fails', async () => {
    const queue = new CatchUpQueue(clock)
    const read: string[] = []
    const failing = queue.add('failing', 1, async () => {
      throw new Error('broken')
    })
    queue.start()
    await expect(failing).rejects.toThrow('broken')
    await run(queue, turn => void queue.add('other', 2, reader('other', 1, read, turn)))
    expect(read).toHaveLength(1)
    await queue.until('failing')
  })

  test('get no turn before the host has opened and after it has closed', async () => {
    const queue = new CatchUpQueue(clock)
    const read: string[] = []
    void queue.add(
      'late',
      1,
      reader('late', 1, read, () => 0),
    )
    const someTurns = () => new Promise<void>(resolve => setImmediate(() => setImmediate(resolve)))
    await someTurns()
    expect(read).toEqual([])
    queue.start()
    queue.close()
    await someTurns()
    expect(read).toEqual([])
  })
})
