import { describe, expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { EPHEMERAL_MS, EventQueue } from './event-stream.js'

const frames = async (queue: EventQueue) => (await queue.next())?.split('|').filter(Boolean) ?? null

describe('the event queue of a reader', () => {
  test('returns all frames at once and in order, but only the newest ephemeral frame of a key', async () => {
    const queue = new EventQueue()
    queue.push('a|')
    queue.pushEphemeral('x', 'x1|')
    queue.push('b|')
    queue.pushEphemeral('x', 'x2|')
    queue.pushEphemeral('y', 'y1|')
    expect(await frames(queue)).toEqual(['a', 'x2', 'b', 'y1'])
  })

  test('holds any number of frames while the reader waits, and else at most 1 000 events or 1 MiB', async () => {
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
      (queue: EventQueue, n: number) => queue.pushEphemeral(String(n), large(n)),
    ]) {
      const heavy = new EventQueue()
      for (let n = 0; n < 11; n++) push(heavy, n)
      expect(heavy.isEnding).toBe(true)
    }
  })

  test('sends ephemeral frames after an interval, or together with a logged frame that is sent at once', async () => {
    const clock = new SimulatedClock()
    const queue = new EventQueue({ clock })
    const sent: string[] = []
    const reading = (async () => {
      for (let text = await queue.next(); text !== null; text = await queue.next()) sent.push(text)
    })()
    const settle = () => new Promise(resolve => setImmediate(resolve))
    queue.pushEphemeral('x', 'x1|')
    await settle()
    expect(sent).toEqual(['x1|'])
    queue.pushEphemeral('x', 'x2|')
    queue.pushEphemeral('y', 'y1|')
    clock.advance(EPHEMERAL_MS - 1)
    queue.pushEphemeral('x', 'x3|')
    await settle()
    expect(sent).toEqual(['x1|'])
    clock.advance(1)
    await settle()
    expect(sent).toEqual(['x1|', 'x3|y1|'])
    queue.pushEphemeral('x', 'x4|')
    await settle()
    queue.push('logged|')
    await settle()
    expect(sent).toEqual(['x1|', 'x3|y1|', 'x4|logged|'])
    queue.pushEphemeral('x', 'x5|')
    await settle()
    queue.finish()
    await reading
    expect(sent.at(-1)).toBe('x5|')
    expect(clock.pending).toBeLessThanOrEqual(1)
  })

  test('also delays logged frames that are not urgent, and sends an urgent one at once, in order', async () => {
    const clock = new SimulatedClock()
    const queue = new EventQueue({ clock, ephemeralMs: 100 })
    const sent: string[] = []
    const reading = (async () => {
      for (let text = await queue.next(); text !== null; text = await queue.next()) sent.push(text)
    })()
    const settle = () => new Promise(resolve => setImmediate(resolve))
    queue.push('a|', { isUrgent: false })
    await settle()
    expect(sent).toEqual(['a|'])
    queue.push('b|', { isUrgent: false })
    queue.pushEphemeral('x', 'x1|')
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

  test('sends the remaining frames when it is finished, and drops them when the reader is gone', async () => {
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
