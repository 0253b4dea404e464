import { describe, expect, it } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { OutputRate } from './output-rate.js'

const MB = 1024 * 1024

/** Reads chunks until `ms` have passed, and pauses as the rate says. @returns the bytes read */
function readFor(rate: OutputRate, clock: SimulatedClock, { ms, chunk }: { ms: number; chunk: number }): number {
  let total = 0
  for (const end = clock.monotonic() + ms; clock.monotonic() < end; ) {
    const pause = rate.pauseAfter(chunk)
    total += chunk
    clock.advance(Math.max(pause, 1))
  }
  return total
}

describe('the rate at which a terminal is read', () => {
  it('is not limited for the first 16 MB', () => {
    const rate = new OutputRate(new SimulatedClock())
    for (let read = 0; read < 16; read++) expect(rate.pauseAfter(MB)).toBe(0)
    expect(rate.pauseAfter(1)).toBeGreaterThan(0)
  })

  it('is 2 MB/s for a program that does not stop printing', () => {
    const clock = new SimulatedClock()
    const rate = new OutputRate(clock)
    rate.pauseAfter(16 * MB)
    const read = readFor(rate, clock, { ms: 60_000, chunk: 64 * 1024 })
    expect(read / (60 * 2 * MB)).toBeCloseTo(1, 1)
  })

  it('is not limited again after the program has printed nothing for seconds', () => {
    const clock = new SimulatedClock()
    const rate = new OutputRate(clock)
    rate.pauseAfter(16 * MB)
    clock.advance(8_000)
    expect(rate.pauseAfter(15 * MB)).toBe(0)
  })
})
