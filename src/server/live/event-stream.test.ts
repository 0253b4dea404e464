import { describe, expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { EventQueue, PASSING_MS } from './event-stream.js'

const frames = async (queue: EventQueue) => (await queue.next())?.split('|').filter(Boolean) ?? null

describe('what waits for a reader', () => {
  test('comes in order, all at once; of what is not logged only the newest', async () => {
    const queue = new EventQueue()
    queue.push('a|')
    queue.pushLatest('x', 'x1|')
    queue.push('b|')
    queue.pushLatest('x', 'x2|')
    queue.pushLatest('y', 'y1|')
    expect(await frames(queue)).toEqual(['a', 'x2', 'b', 'y1'])
  })

  test('may be any amount while the reader waits for it, and 1 000 events or 1 MiB while it does not', async () => {
    const keeping = new EventQueue()
    const waiting = keeping.next()
    await Promise.resolve()
    for (let n = 0; n < 5_000; n++) keeping.push(`${n}|`)
    expect((await waiting)!.split('|')).toHaveLength(5_001)

    const stuck = new EventQueue()
    for (let n = 0; n < 1_000; n++) stuck.push(`${n}|`)
    expect(stuck.isEnding).toBe(false)
    stuck.push('one more|')
    expect(stuck.isEnding).toBe(true)
    expect(await stuck.next()).toBe('event: bye\ndata: {"reason":"slow"}\n\n')
    expect(await stuck.next()).toBeNull()

    for (const push of [
      (queue: EventQueue, n: number) => queue.push(large(n)),
      (queue: EventQueue, n: number) => queue.pushLatest(String(n), large(n)),
    ]) {
      const heavy = new EventQueue()
      for (let n = 0; n < 11; n++) push(heavy, n)
      expect(heavy.isEnding).toBe(true)
    }
  })

  test('what merely passes is sent together after a rest; what is in the log waits for nothing and takes it along', async () => {
    const clock = new SimulatedClock()
    const queue = new EventQueue({ clock })
    const sent: string[] = []
    const reading = (async () => {
      for (let text = await queue.next(); text !== null; text = await queue.next()) sent.push(text)
    })()
    const settle = () => new Promise(resolve => setImmediate(resolve))
    queue.pushLatest('x', 'x1|')
    await settle()
    expect(sent).toEqual(['x1|'])
    queue.pushLatest('x', 'x2|')
    queue.pushLatest('y', 'y1|')
    clock.advance(PASSING_MS - 1)
    queue.pushLatest('x', 'x3|')
    await settle()
    expect(sent).toEqual(['x1|'])
    clock.advance(1)
    await settle()
    expect(sent).toEqual(['x1|', 'x3|y1|'])
    queue.pushLatest('x', 'x4|')
    await settle()
    queue.push('logged|')
    await settle()
    expect(sent).toEqual(['x1|', 'x3|y1|', 'x4|logged|'])
    queue.pushLatest('x', 'x5|')
    await settle()
    queue.finish()
    await reading
    expect(sent.at(-1)).toBe('x5|')
    expect(clock.pending).toBeLessThanOrEqual(1)
  })

  test('what is in the log may rest, too, where a reader wants that: then only what is urgent goes at once, and all in order', async () => {
    const clock = new SimulatedClock()
    const queue = new EventQueue({ clock, passingMs: 100 })
    const sent: string[] = []
    const reading = (async () => {
      for (let text = await queue.next(); text !== null; text = await queue.next()) sent.push(text)
    })()
    const settle = () => new Promise(resolve => setImmediate(resolve))
    queue.push('a|', { isUrgent: false })
    await settle()
    expect(sent).toEqual(['a|'])
    queue.push('b|', { isUrgent: false })
    queue.pushLatest('x', 'x1|')
    clock.advance(99)
    await settle()
    expect(sent).toEqual(['a|'])
    queue.push('now|')
    await settle()
    expect(sent).toEqual(['a|', 'b|x1|now|'])
    queue.push('c|', { isUrgent: false })
    clock.advance(100)
    await settle()
    expect(sent.at(-1)).toBe('c|')
    queue.finish()
    await reading
  })

  test('is sent to its end when nothing more comes, and dropped when the reader is gone', async () => {
    const finished = new EventQueue()
    finished.push('a|')
    finished.finish()
    expect(await frames(finished)).toEqual(['a'])
    expect(await finished.next()).toBeNull()
    const gone = new EventQueue()
    const waiting = gone.next()
    gone.abort()
    expect(await waiting).toBeNull()
    gone.push('late|')
    expect(gone.waiting).toBe(0)
  })
})

function large(n: number): string {
  return `${n}${'x'.repeat(100_000)}|`
}
