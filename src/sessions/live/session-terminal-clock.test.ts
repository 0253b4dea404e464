import { expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { SessionClock } from './session-terminal.js'

const STARTED = 1_000_000

function session(age = 0): {
  clock: SimulatedClock
  time: SessionClock
  calls: number[]
  at(due: number | null): void
} {
  const clock = new SimulatedClock(STARTED + age)
  const time = new SessionClock(clock, STARTED)
  const calls: number[] = []
  return { clock, time, calls, at: due => time.schedule(due, () => calls.push(time.now())) }
}

test('the clock counts seconds since the session’s start, also for a later host', () => {
  const { clock, time } = session(5000)
  expect(time.now()).toBe(5)
  clock.advance(250)
  expect(time.now()).toBe(5.25)
})

test('a callback runs once, at its time', () => {
  const { clock, calls, at } = session()
  at(1)
  clock.advance(999)
  expect(calls).toEqual([])
  clock.advance(1)
  expect(calls).toEqual([1])
  clock.advance(5000)
  expect(calls).toEqual([1])
})

test('a later schedule replaces the earlier one; null cancels it', () => {
  const { clock, calls, at, time } = session()
  at(1)
  at(2)
  clock.advance(1500)
  expect(calls).toEqual([])
  at(null)
  clock.advance(5000)
  expect(calls).toEqual([])
  at(3)
  expect(clock.pending).toBe(1)
  time.stop()
  expect(clock.pending).toBe(0)
})

test('a callback whose time has passed runs at once', () => {
  const { clock, calls, at } = session(10_000)
  at(1)
  clock.advance(0)
  expect(calls).toEqual([10])
})

test('the clock follows stamps that are ahead of it and never runs backwards', () => {
  const { clock, time } = session()
  time.observe(3)
  expect(time.now()).toBe(3)
  time.observe(1)
  expect(time.now()).toBe(3)
  clock.advance(500)
  expect(time.now()).toBe(3.5)
})

test('a callback runs earlier when the stamps jump ahead', () => {
  const { clock, calls, at, time } = session()
  at(10)
  time.observe(9.5)
  clock.advance(499)
  expect(calls).toEqual([])
  clock.advance(1)
  expect(calls).toEqual([10])
  at(20)
  time.observe(30)
  clock.advance(0)
  expect(calls).toEqual([10, 30])
})

test('a second schedule for the same time keeps the timer and uses the newest callback', () => {
  const { clock, time, calls } = session()
  time.schedule(1, () => calls.push(1))
  time.schedule(1, () => calls.push(2))
  expect(clock.pending).toBe(1)
  clock.advance(1000)
  expect(calls).toEqual([2])
})

test('the clock counts up even if the wall clock was set back', () => {
  const { clock, time } = session(-5000)
  expect(time.now()).toBe(-5)
  time.observe(2)
  clock.advance(1000)
  expect(time.now()).toBe(3)
})
