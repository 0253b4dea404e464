import { expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { Contact } from './contact.js'

const clockAt = () => new SimulatedClock(1_000_000)

function openContact(clock: SimulatedClock, lostAfterMs: number | null) {
  const lost: number[] = []
  const contact = new Contact(clock, lostAfterMs, () => lost.push(clock.monotonic()))
  return { contact, lost }
}

test('a worker without a server gives up once, after five sixths of the time', () => {
  const clock = clockAt()
  const { contact, lost } = openContact(clock, 60_000)
  clock.advance(49_999)
  expect([contact.leftMs, contact.isOver, lost]).toEqual([1, false, []])
  clock.advance(1_000_000)
  expect([contact.isOver, lost]).toEqual([true, [50_000]])
})

test('a worker counts from when it sent what a server answered, however late the answer is read', () => {
  const clock = clockAt()
  const { contact, lost } = openContact(clock, 60_000)
  clock.advance(40_000)
  contact.reached(10_000)
  expect(contact.leftMs).toBe(20_000)
  contact.reached(5_000)
  expect(contact.leftMs).toBe(20_000)
  clock.advance(20_000)
  expect(lost).toEqual([60_000])
  // An answer that waited while the process was stopped is old.
  clock.advance(1_000)
  contact.reached(10_001)
  expect(contact.isOver).toBe(true)
})

test('a worker that is back in contact gives up again the next time', () => {
  const clock = clockAt()
  const { contact, lost } = openContact(clock, null)
  clock.advance(1_000_000)
  expect([contact.leftMs, contact.isOver, lost]).toEqual([null, false, []])
  contact.reached(1_000_000)
  contact.learned(60_000)
  clock.advance(100_000)
  contact.reached(1_100_000)
  expect(contact.isOver).toBe(false)
  clock.advance(100_000)
  expect(lost).toEqual([1_050_000, 1_150_000])
})

test('a worker that is closed gives up nothing', () => {
  const clock = clockAt()
  const { contact, lost } = openContact(clock, 60_000)
  contact.close()
  clock.advance(1_000_000)
  expect(lost).toEqual([])
})
