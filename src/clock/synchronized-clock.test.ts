import { beforeEach, expect, test } from 'vitest'
import { SimulatedClock } from './simulated-clock.js'
import { SynchronizedClock } from './synchronized-clock.js'

const MINUTE = 60_000
let own: SimulatedClock
/** How far the wall clock of this machine is ahead. */
let skewMs: number
let clock: SynchronizedClock
/** How far the reference is ahead of this machine. */
let aheadMs: number

beforeEach(() => {
  own = new SimulatedClock()
  skewMs = 0
  clock = new SynchronizedClock({
    now: () => own.now() + skewMs,
    monotonic: () => own.monotonic(),
    setTimer: (ms, callback) => own.setTimer(ms, callback),
  })
  aheadMs = 2 * MINUTE
})

const reference = async () => own.now() + aheadMs

test('a synchronized clock has the time of its reference, however wrong this machine’s clock is', async () => {
  expect(clock.now()).toBe(own.now())
  await clock.read(reference)
  expect(clock.now()).toBe(await reference())
  skewMs = -10 * MINUTE
  own.advance(5_000)
  expect(clock.now()).toBe(await reference())
})

test('a synchronized clock does not jitter with slow answers', async () => {
  await clock.read(reference)
  await clock.read(async () => {
    const time = await reference()
    own.advance(3_000)
    return time
  })
  expect(clock.now()).toBe(await reference())
})

test('a synchronized clock follows its reference when that is set', async () => {
  await clock.read(reference)
  aheadMs -= MINUTE
  await clock.read(reference)
  expect(clock.now()).toBe(await reference())
})
