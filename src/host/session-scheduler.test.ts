import { describe, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import type { KeeperListener } from '../keeper/index.js'
import { SessionScheduler } from './session-scheduler.js'

const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve))

/** Work takes time on the simulated clock, so that every turn is the same on any machine. */
function setUp() {
  const clock = new SimulatedClock(1_000)
  const errors: unknown[] = []
  const lanes = new SessionScheduler(clock, error => errors.push(error))
  const done: string[] = []
  const open = (name: string, isAsking = () => false) => {
    const lane = lanes.add(isAsking)
    const listener = lane.listener({
      output: (bytes, t) => {
        // The first byte of a piece says how long it takes to read.
        clock.advance(bytes[0]!)
        done.push(`${name}${t}`)
      },
      resized: cols => done.push(`${name} ${cols}`),
      exited: () => done.push(`${name} exit`),
      lagging: () => done.push(`${name} lags`),
      unrecorded: () => done.push(`${name} unrecorded`),
    })
    return { lane, listener }
  }
  const feed = (listener: KeeperListener, t: number, ms: number) => listener.output(Uint8Array.of(ms), t, t)
  return { clock, errors, lanes, done, open, feed }
}

async function drained(lanes: SessionScheduler): Promise<void> {
  while (lanes.waiting > 0) await nextTurn()
}

describe('sessions share a thread', () => {
  test('a host that keeps up reads what comes where it comes', () => {
    const { open, feed, done, lanes } = setUp()
    const { listener } = open('a')
    feed(listener, 1, 1)
    listener.resized(100, 30, 2)
    expect(done).toEqual(['a1', 'a 100'])
    expect(lanes.waiting).toBe(0)
  })

  test('nobody waits longer than one turn of everybody, however much another writes', async () => {
    const { open, feed, done, lanes } = setUp()
    const [busy, other] = [open('busy'), open('other')]
    feed(busy.listener, 1, 4)
    for (let t = 2; t <= 20; t++) feed(busy.listener, t, 0)
    feed(other.listener, 1, 0)
    for (let t = 21; t <= 300; t++) feed(busy.listener, t, 0)
    expect(done).toEqual(['busy1'])
    await drained(lanes)
    // Behind one that was read where it came, and a turn of 64 kB: pieces count 257 bytes here.
    expect(done.indexOf('other1')).toBe(1 + Math.ceil((64 * 1024) / 257))
    expect(done).toHaveLength(301)
  })

  test('one that draws much more at once than it mostly does goes before the others, for a moment', async () => {
    const { clock, open, feed, done, lanes } = setUp()
    const others = Array.from({ length: 5 }, (_, index) => open(`other${index}-`))
    const drawing = open('drawing')
    const round = async (t: number, bytes: number) => {
      done.length = 0
      for (const { listener } of others) feed(listener, t, 5)
      drawing.listener.output(new Uint8Array(bytes).fill(1), t, t)
      await drained(lanes)
      return done.indexOf(`drawing${t}`)
    }
    for (let t = 1; t <= 20; t++) expect(await round(t, 100)).toBe(5)
    expect(await round(21, 2_000)).toBe(1)
    expect(await round(22, 10)).toBe(1)
    clock.advance(300)
    expect(await round(23, 10)).toBe(5)
    // Who always draws whole pictures draws nothing unusual.
    for (let t = 24; t <= 60; t++) await round(t, 2_000)
    clock.advance(300)
    expect(await round(61, 2_000)).toBe(5)
  })

  test('one that asks goes before those that came first; so does what follows soon after its question', async () => {
    let isAsking = true
    const { clock, open, feed, done, lanes } = setUp()
    const others = Array.from({ length: 5 }, (_, index) => open(`other${index}-`))
    const asking = open('asking', () => isAsking)
    const round = async (t: number) => {
      done.length = 0
      for (const { listener } of others) feed(listener, t, 5)
      feed(asking.listener, t, 1)
      await drained(lanes)
      return done.indexOf(`asking${t}`)
    }
    expect(await round(1)).toBe(1)
    isAsking = false
    clock.advance(1_000)
    expect(await round(2)).toBe(1)
    clock.advance(2_000)
    expect(await round(3)).toBe(5)
  })

  test('whatever the order between sessions, each gets its own in order', async () => {
    const { open, feed, done, lanes } = setUp()
    const three = [open('a'), open('b', () => true), open('c')]
    for (let t = 1; t <= 6; t++) for (const [index, { listener }] of three.entries()) feed(listener, t, index + 1)
    three[1]!.listener.exited({ code: 0, signal: null, t: 7 })
    await drained(lanes)
    const own = (name: string) => done.filter(entry => entry.startsWith(name))
    expect(own('a')).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6'])
    expect(own('b')).toEqual(['b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b exit'])
    expect(own('c')).toEqual(['c1', 'c2', 'c3', 'c4', 'c5', 'c6'])
  })

  test('what has waited for long is read at once, up to a change of size, with the time of its end', async () => {
    const { clock } = setUp()
    const read: unknown[] = []
    const behind = new SessionScheduler(clock, error => read.push(error))
    const lane = behind.add(() => false)
    const listener = lane.listener({
      output: (bytes: Uint8Array, t: number, offset: number) => read.push([[...bytes], t, offset]),
      resized: (cols: number) => read.push(cols),
    } as unknown as KeeperListener)
    const blocking = behind.add(() => false).listener({ output: () => clock.advance(60) } as unknown as KeeperListener)
    // The first is read where it comes, and takes long.
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

  test('what has waited for a moment only keeps the times of its pieces', async () => {
    const { clock, open, feed, done, lanes } = setUp()
    const [busy, other] = [open('busy'), open('other')]
    feed(busy.listener, 1, 10)
    for (let t = 1; t <= 3; t++) feed(other.listener, t, 0)
    clock.advance(49)
    await drained(lanes)
    expect(done).toEqual(['busy1', 'other1', 'other2', 'other3'])
  })

  test('a timer comes behind every byte that has come by then', async () => {
    const { clock, open, feed, done, lanes } = setUp()
    const { lane, listener } = open('a')
    lane.clock.setTimer(5, () => done.push('timer'))
    feed(listener, 1, 1)
    clock.advance(5)
    // Due, and not before what the socket still had.
    feed(listener, 2, 1)
    feed(listener, 3, 1)
    await drained(lanes)
    expect(done).toEqual(['a1', 'a2', 'a3', 'timer'])
  })

  test('a timer that is cancelled while it waits for its turn does not fire', async () => {
    const { clock, open, done, lanes } = setUp()
    const { lane } = open('a')
    const timer = lane.clock.setTimer(1, () => done.push('fired'))
    lane.clock.setTimer(1, () => done.push('other'))
    clock.advance(1)
    expect(lanes.waiting).toBe(1)
    timer.cancel()
    await drained(lanes)
    expect(done).toEqual(['other'])
  })

  test('between two turns of the sessions everybody else has one', async () => {
    const { open, feed, done, lanes } = setUp()
    for (let index = 0; index < 12; index++) feed(open('a').listener, index, 2)
    const seen: number[] = []
    while (lanes.waiting > 0) {
      await nextTurn()
      seen.push(done.length)
    }
    // Two at once and then two a turn: 4 ms.
    expect(seen).toEqual([4, 6, 8, 10, 12])
  })

  test('more than a host may keep is read at once, so that its keeper notices', async () => {
    const { lanes, done, open, feed } = setUp()
    const [slow, flood] = [open('slow'), open('flood')]
    feed(slow.listener, 0, 10)
    const piece = new Uint8Array(1024 * 1024)
    for (let t = 1; t <= 20; t++) flood.listener.output(piece, t, 0)
    expect(done.filter(entry => entry.startsWith('flood')).length).toBeGreaterThanOrEqual(12)
    await drained(lanes)
    expect(done).toHaveLength(21)
  })

  test('a session whose reading fails does not keep the others from theirs', async () => {
    const { lanes, errors, done, open, feed } = setUp()
    const { listener } = open('a')
    const failing = lanes.add(() => false).listener({ output: () => raise('broken') } as unknown as KeeperListener)
    for (let t = 1; t <= 3; t++) {
      feed(listener, t, 3)
      feed(failing, t, 3)
    }
    await drained(lanes)
    expect(done).toEqual(['a1', 'a2', 'a3'])
    expect(errors).toHaveLength(3)
  })

  test('caughtUp resolves behind what waited when it was asked', async () => {
    const { open, feed, done } = setUp()
    const { lane, listener } = open('a')
    for (let t = 1; t <= 5; t++) feed(listener, t, 3)
    await lane.caughtUp()
    expect(done).toEqual(['a1', 'a2', 'a3', 'a4', 'a5'])
  })
})

function raise(message: string): never {
  throw new Error(message)
}
