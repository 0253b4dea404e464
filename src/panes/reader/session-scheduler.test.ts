import { describe, expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import type { KeeperListener } from '../../keeper/index.js'
import { SessionScheduler } from './session-scheduler.js'

const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve))

/** Work takes time on the simulated clock, so that every slice is the same on any machine. */
function setUp() {
  const clock = new SimulatedClock(1_000)
  const errors: unknown[] = []
  const scheduler = new SessionScheduler(clock, error => errors.push(error))
  const done: string[] = []
  const open = (name: string, isAsking = () => false) => {
    const queue = scheduler.add(isAsking)
    const listener = queue.listener({
      output: (bytes, t) => {
        // The first byte of a chunk says how long reading it takes.
        clock.advance(bytes[0]!)
        done.push(`${name}${t}`)
      },
      resized: cols => done.push(`${name} ${cols}`),
      exited: () => done.push(`${name} exit`),
      lagging: () => done.push(`${name} lags`),
      unrecorded: () => done.push(`${name} unrecorded`),
    })
    return { queue, listener }
  }
  const feed = (listener: KeeperListener, t: number, ms: number) => listener.output(Uint8Array.of(ms), t, t)
  return { clock, errors, scheduler, done, open, feed }
}

async function drained(scheduler: SessionScheduler): Promise<void> {
  while (scheduler.waiting > 0) await nextTurn()
}

describe('the scheduler of sessions in one thread', () => {
  test('reads output on arrival while the host keeps up', () => {
    const { open, feed, done, scheduler } = setUp()
    const { listener } = open('a')
    feed(listener, 1, 1)
    listener.resized(100, 30, 2)
    expect(done).toEqual(['a1', 'a 100'])
    expect(scheduler.waiting).toBe(0)
  })

  test('lets a queue wait for at most one slice of each other queue, however much those print', async () => {
    const { open, feed, done, scheduler } = setUp()
    const [busy, other] = [open('busy'), open('other')]
    feed(busy.listener, 1, 4)
    for (let t = 2; t <= 20; t++) feed(busy.listener, t, 0)
    feed(other.listener, 1, 0)
    for (let t = 21; t <= 300; t++) feed(busy.listener, t, 0)
    expect(done).toEqual(['busy1'])
    await drained(scheduler)
    // After one chunk that was read at once, and a slice of 64 kB: a chunk counts 257 bytes here.
    expect(done.indexOf('other1')).toBe(1 + Math.ceil((64 * 1024) / 257))
    expect(done).toHaveLength(301)
  })

  test('gives priority for a short time to a session that prints a burst', async () => {
    const { clock, open, feed, done, scheduler } = setUp()
    const others = Array.from({ length: 5 }, (_, index) => open(`other${index}-`))
    const drawing = open('drawing')
    const round = async (t: number, bytes: number) => {
      done.length = 0
      for (const { listener } of others) feed(listener, t, 5)
      drawing.listener.output(new Uint8Array(bytes).fill(1), t, t)
      await drained(scheduler)
      return done.indexOf(`drawing${t}`)
    }
    for (let t = 1; t <= 20; t++) expect(await round(t, 100)).toBe(5)
    expect(await round(21, 2_000)).toBe(1)
    expect(await round(22, 10)).toBe(1)
    clock.advance(300)
    expect(await round(23, 10)).toBe(5)
    // For a session that always draws whole frames, a large chunk is not a burst.
    for (let t = 24; t <= 60; t++) await round(t, 2_000)
    clock.advance(300)
    expect(await round(61, 2_000)).toBe(5)
  })

  test('gives priority to a session that asks, and keeps it for a while after its request', async () => {
    let isAsking = true
    const { clock, open, feed, done, scheduler } = setUp()
    const others = Array.from({ length: 5 }, (_, index) => open(`other${index}-`))
    const asking = open('asking', () => isAsking)
    const round = async (t: number) => {
      done.length = 0
      for (const { listener } of others) feed(listener, t, 5)
      feed(asking.listener, t, 1)
      await drained(scheduler)
      return done.indexOf(`asking${t}`)
    }
    expect(await round(1)).toBe(1)
    isAsking = false
    clock.advance(1_000)
    expect(await round(2)).toBe(1)
    clock.advance(2_000)
    expect(await round(3)).toBe(5)
  })

  test('gives each session its own work in order', async () => {
    const { open, feed, done, scheduler } = setUp()
    const three = [open('a'), open('b', () => true), open('c')]
    for (let t = 1; t <= 6; t++) for (const [index, { listener }] of three.entries()) feed(listener, t, index + 1)
    three[1]!.listener.exited({ code: 0, signal: null, t: 7 })
    await drained(scheduler)
    const own = (name: string) => done.filter(entry => entry.startsWith(name))
    expect(own('a')).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6'])
    expect(own('b')).toEqual(['b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b exit'])
    expect(own('c')).toEqual(['c1', 'c2', 'c3', 'c4', 'c5', 'c6'])
  })

  test('reads output that has waited long at once, up to a resize, with the time of its last chunk', async () => {
    const { clock } = setUp()
    const read: unknown[] = []
    const behind = new SessionScheduler(clock, error => read.push(error))
    const queue = behind.add(() => false)
    const listener = queue.listener({
      output: (bytes: Uint8Array, t: number, offset: number) => read.push([[...bytes], t, offset]),
      resized: (cols: number) => read.push(cols),
    } as unknown as KeeperListener)
    const blocking = behind.add(() => false).listener({ output: () => clock.advance(60) } as unknown as KeeperListener)
    // The first chunk is read at once, and takes long.
    blocking.output(Uint8Array.of(0), 0, 0)
    listener.output(Uint8Array.of(1), 1, 10)
    listener.output(Uint8Array.of(2, 3), 2, 11)
    listener.resized(100, 30, 3)
    listener.output(Uint8Array.of(4), 4, 13)
    listener.output(Uint8Array.of(5), 5, 14)
    clock.advance(60)
    await drained(behind)
    expect(read).toEqual([[[1, 2, 3], 2, 10], 100, [[4, 5], 5, 13]])
  })

  test('keeps the times of the chunks of old output, however long it has waited', async () => {
    const { clock } = setUp()
    const read: unknown[] = []
    const behind = new SessionScheduler(clock, error => read.push(error))
    let isOld = true
    const session = { output: (bytes: Uint8Array, t: number) => read.push([[...bytes], t]) }
    const listener = behind.add(() => false).listener(session as unknown as KeeperListener, () => isOld)
    const blocking = behind.add(() => false).listener({ output: () => clock.advance(60) } as unknown as KeeperListener)
    blocking.output(Uint8Array.of(0), 0, 0)
    for (const n of [1, 2]) listener.output(Uint8Array.of(n), n, n)
    isOld = false
    for (const n of [3, 4]) listener.output(Uint8Array.of(n), n, n)
    clock.advance(60)
    await drained(behind)
    expect(read).toEqual([
      [[1], 1],
      [[2], 2],
      [[3, 4], 4],
    ])
  })

  test('keeps the times of the chunks of output that has waited only for a moment', async () => {
    const { clock, open, feed, done, scheduler } = setUp()
    const [busy, other] = [open('busy'), open('other')]
    feed(busy.listener, 1, 10)
    for (let t = 1; t <= 3; t++) feed(other.listener, t, 0)
    clock.advance(49)
    await drained(scheduler)
    expect(done).toEqual(['busy1', 'other1', 'other2', 'other3'])
  })

  test('runs a timer after every byte that has arrived by then', async () => {
    const { clock, open, feed, done, scheduler } = setUp()
    const { queue, listener } = open('a')
    queue.clock.setTimer(5, () => done.push('timer'))
    feed(listener, 1, 1)
    clock.advance(5)
    // It is due, but runs after what the socket still had.
    feed(listener, 2, 1)
    feed(listener, 3, 1)
    await drained(scheduler)
    expect(done).toEqual(['a1', 'a2', 'a3', 'timer'])
  })

  test('does not run a timer that is cancelled while it waits in its queue', async () => {
    const { clock, open, done, scheduler } = setUp()
    const { queue } = open('a')
    const timer = queue.clock.setTimer(1, () => done.push('fired'))
    queue.clock.setTimer(1, () => done.push('other'))
    clock.advance(1)
    expect(scheduler.waiting).toBe(1)
    timer.cancel()
    await drained(scheduler)
    expect(done).toEqual(['other'])
  })

  test('runs other work of the host between two slices of the sessions', async () => {
    const { open, feed, done, scheduler } = setUp()
    for (let index = 0; index < 12; index++) feed(open('a').listener, index, 2)
    const seen: number[] = []
    while (scheduler.waiting > 0) {
      await nextTurn()
      seen.push(done.length)
    }
    // Two at once and then two per slice: 4 ms.
    expect(seen).toEqual([4, 6, 8, 10, 12])
  })

  test('says once that a session is behind: as soon as more than 1 MB of its output waits', async () => {
    const { clock, scheduler } = setUp()
    const read: number[] = []
    const queue = scheduler.add(() => false)
    const listener = queue.listener({
      output: (bytes: Uint8Array) => {
        clock.advance(1)
        read.push(bytes.length)
      },
    } as unknown as KeeperListener)
    let behind = 0
    queue.onceBehind(() => behind++)
    const piece = new Uint8Array(256 * 1024)
    for (let t = 1; t <= 4; t++) listener.output(piece, t, 0)
    expect(behind).toBe(0)
    for (let t = 5; t <= 8; t++) listener.output(piece, t, 0)
    expect(behind).toBe(1)
    await drained(scheduler)
    expect(read.reduce((sum, length) => sum + length, 0)).toBe(8 * piece.length)
    queue.onceBehind(() => behind++)
    expect(behind).toBe(1)
  })

  test('counts the output of a session that waits in another thread, and not that of other sessions', () => {
    const { scheduler } = setUp()
    const [flood, other] = [scheduler.add(() => false), scheduler.add(() => false)]
    const behind: string[] = []
    flood.onceBehind(() => behind.push('flood'))
    other.onceBehind(() => behind.push('other'))
    flood.addUnread(1_000_000)
    other.addUnread(1_000_000)
    expect(behind).toEqual([])
    flood.addUnread(100_000)
    expect(behind).toEqual(['flood'])
  })

  test('reads a large chunk in pieces, one slice after the other', async () => {
    const { clock, scheduler } = setUp()
    const pieces: [number, number, number][] = []
    const large = scheduler
      .add(() => false)
      .listener({
        output: (bytes: Uint8Array, t: number, offset: number) => {
          clock.advance(5)
          pieces.push([bytes.length, t, offset])
        },
      } as unknown as KeeperListener)
    large.output(new Uint8Array(40_000), 7, 100)
    expect(pieces).toHaveLength(1)
    await nextTurn()
    expect(pieces).toHaveLength(2)
    await drained(scheduler)
    expect(pieces).toEqual([
      [16_384, 7, 100],
      [16_384, 7, 16_484],
      [7_232, 7, 32_868],
    ])
  })

  test('continues the other sessions when one fails', async () => {
    const { scheduler, errors, done, open, feed } = setUp()
    const { listener } = open('a')
    const failing = scheduler.add(() => false).listener({ output: () => raise('broken') } as unknown as KeeperListener)
    for (let t = 1; t <= 3; t++) {
      feed(listener, t, 3)
      feed(failing, t, 3)
    }
    await drained(scheduler)
    expect(done).toEqual(['a1', 'a2', 'a3'])
    expect(errors).toHaveLength(3)
  })

  test('resolves caughtUp after the work that waited when it was called', async () => {
    const { open, feed, done } = setUp()
    const { queue, listener } = open('a')
    for (let t = 1; t <= 5; t++) feed(listener, t, 3)
    await queue.caughtUp()
    expect(done).toEqual(['a1', 'a2', 'a3', 'a4', 'a5'])
  })
})

function raise(message: string): never {
  throw new Error(message)
}
