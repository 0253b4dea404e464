import { describe, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import type { KeeperListener } from '../keeper/index.js'
import { type SessionLane, SessionTurns } from './session-turns.js'

const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve))

/** Work takes time on the simulated clock, so that every turn is the same on any machine. */
function setUp() {
  const clock = new SimulatedClock(1_000)
  const errors: unknown[] = []
  const turns = new SessionTurns(clock, error => errors.push(error))
  const done: string[] = []
  const open = (name: string) => {
    const lane = turns.enter()
    const listener = lane.listener({
      output: (bytes, t) => {
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
  /** A piece of output whose reading takes so long. */
  const feed = (listener: KeeperListener, t: number, ms: number) => listener.output(Uint8Array.of(ms), t, 0)
  return { clock, errors, turns, done, open, feed }
}

async function drained(turns: SessionTurns): Promise<void> {
  while (turns.waiting > 0) await nextTurn()
}

describe('turns of sessions', () => {
  test('a host that keeps up reads what comes where it comes', () => {
    const { open, feed, done, turns } = setUp()
    const { listener } = open('a')
    feed(listener, 1, 1)
    listener.resized(100, 30, 2)
    expect(done).toEqual(['a1', 'a 100'])
    expect(turns.waiting).toBe(0)
  })

  test('a session that used little goes before those that write without end', async () => {
    const { open, feed, done, turns } = setUp()
    const [busy, other, quiet] = [open('busy'), open('other'), open('quiet')]
    for (let t = 1; t <= 20; t++) {
      feed(busy.listener, t, 2)
      feed(other.listener, t, 2)
    }
    feed(quiet.listener, 1, 2)
    expect(done).toEqual(['busy1', 'other1'])
    await drained(turns)
    // In the order of arrival it would have been the last of 41.
    expect(done.indexOf('quiet1')).toBe(2)
    expect(done).toHaveLength(41)
  })

  test('whatever the order between sessions, each gets its own in order', async () => {
    const { open, feed, done, turns } = setUp()
    const lanes = [open('a'), open('b'), open('c')]
    for (let t = 1; t <= 6; t++) for (const [index, { listener }] of lanes.entries()) feed(listener, t, index + 1)
    lanes[1]!.listener.exited({ code: 0, signal: null, t: 7 })
    await drained(turns)
    const own = (name: string) => done.filter(entry => entry.startsWith(name))
    expect(own('a')).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6'])
    expect(own('c')).toEqual(['c1', 'c2', 'c3', 'c4', 'c5', 'c6'])
    expect(own('b')).toEqual(['b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b exit'])
  })

  test('a timer comes behind every byte that has come by then', async () => {
    const { clock, open, feed, done, turns } = setUp()
    const { lane, listener } = open('a')
    lane.clock.setTimer(5, () => done.push('timer'))
    feed(listener, 1, 1)
    clock.advance(5)
    // Due, and not before what the socket still had.
    feed(listener, 2, 1)
    feed(listener, 3, 1)
    await drained(turns)
    expect(done).toEqual(['a1', 'a2', 'a3', 'timer'])
  })

  test('a timer of a session without bytes waits for no other session', async () => {
    const { clock, open, feed, done, turns } = setUp()
    const [busy, quiet] = [open('busy'), open('quiet')]
    for (let t = 1; t <= 9; t++) feed(busy.listener, t, 3)
    quiet.lane.clock.setTimer(0, () => done.push('timer'))
    clock.advance(1)
    await drained(turns)
    expect(done.indexOf('timer')).toBe(2)
  })

  test('a timer that is cancelled while it waits for its turn does not fire', async () => {
    const { clock, open, feed, done, turns } = setUp()
    const [busy, other] = [open('busy'), open('other')]
    const timer = other.lane.clock.setTimer(1, () => done.push('fired'))
    for (let t = 1; t <= 4; t++) feed(busy.listener, t, 3)
    clock.advance(1)
    expect(turns.waiting).toBe(2)
    timer.cancel()
    await drained(turns)
    expect(done).toEqual(['busy1', 'busy2', 'busy3', 'busy4'])
  })

  test('between two turns of the sessions everybody else has one', async () => {
    const { open, feed, done, turns } = setUp()
    const { listener } = open('a')
    for (let t = 1; t <= 12; t++) feed(listener, t, 2)
    const seen: number[] = []
    while (turns.waiting > 0) {
      await nextTurn()
      seen.push(done.length)
    }
    // Two at once and then two a turn: 4 ms.
    expect(seen).toEqual([4, 6, 8, 10, 12])
  })

  test('one that waits rises, however much it used before', async () => {
    const { clock, open, feed, done, turns } = setUp()
    const [spent, fresh] = [open('spent'), open('fresh')]
    feed(spent.listener, 1, 200)
    feed(fresh.listener, 1, 50)
    feed(spent.listener, 2, 2)
    await drained(turns)
    clock.advance(5_000)
    feed(fresh.listener, 2, 30)
    feed(fresh.listener, 3, 30)
    feed(spent.listener, 3, 2)
    await drained(turns)
    expect(done.slice(-3)).toEqual(['fresh2', 'spent3', 'fresh3'])
  })

  test('more than a host may keep is read at once, so that its keeper notices', async () => {
    const { clock, turns, done, open, feed } = setUp()
    const [slow, flood] = [open('slow'), open('flood')]
    feed(slow.listener, 0, 10)
    const piece = new Uint8Array(1024 * 1024)
    for (let t = 1; t <= 12; t++) flood.listener.output(piece, t, 0)
    expect(done.filter(entry => entry.startsWith('flood')).length).toBeGreaterThanOrEqual(4)
    await drained(turns)
    expect(done).toHaveLength(13)
    expect(clock.monotonic()).toBe(10)
  })

  test('a session whose reading fails does not keep the others from theirs', async () => {
    const { turns, errors, done, open, feed } = setUp()
    const { listener } = open('a')
    const broken: SessionLane = turns.enter()
    const failing = broken.listener({ output: () => raise('broken') } as unknown as KeeperListener)
    for (let t = 1; t <= 3; t++) {
      feed(listener, t, 3)
      feed(failing, t, 3)
    }
    await drained(turns)
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
