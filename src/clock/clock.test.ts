import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ClosableClock, delay, idPrefix, matchingIds, newId, newNonce, SimulatedClock, systemClock } from './index.js'

describe('the simulated clock', () => {
  test('fires timers in order of time, then of creation, each exactly at its time', () => {
    const times = fc.array(fc.nat(50), { maxLength: 20 })
    fc.assert(
      fc.property(times, fc.array(fc.nat(30), { maxLength: 8 }), (dues, advances) => {
        const clock = new SimulatedClock(1000)
        const fired: { due: number; order: number; at: number }[] = []
        for (const [order, due] of dues.entries()) {
          clock.setTimer(due, () => fired.push({ due, order, at: clock.monotonic() }))
        }
        for (const ms of advances) clock.advance(ms)
        const passed = advances.reduce((sum, ms) => sum + ms, 0)
        const expected = dues
          .map((due, order) => ({ due, order, at: due }))
          .filter(({ due }) => due <= passed && advances.length > 0)
          .sort((a, b) => a.due - b.due || a.order - b.order)
        expect(fired).toEqual(expected)
        expect(clock.now()).toBe(1000 + passed)
        expect(clock.pending).toBe(dues.length - expected.length)
      }),
    )
  })

  test('fires timers that a timer sets, if they are due', () => {
    const clock = new SimulatedClock()
    const fired: number[] = []
    const again = () => {
      fired.push(clock.now())
      clock.setTimer(10, again)
    }
    clock.setTimer(10, again)
    clock.advance(35)
    expect(fired).toEqual([10, 20, 30])
    expect(clock.now()).toBe(35)
  })

  test('does not fire a cancelled timer, not even from inside another timer', () => {
    const clock = new SimulatedClock()
    const fired: string[] = []
    const second = clock.setTimer(5, () => fired.push('second'))
    clock.setTimer(5, () => fired.push('third')).cancel()
    clock.setTimer(4, () => second.cancel())
    clock.advance(10)
    second.cancel()
    expect(fired).toEqual([])
  })

  test('does not move back', () => {
    const clock = new SimulatedClock(100)
    clock.advanceTo(50)
    expect(clock.now()).toBe(100)
    expect(clock.monotonic()).toBe(0)
  })
})

test('a closed clock cancels all of its timers and sets no new ones', () => {
  const clock = new SimulatedClock()
  const closable = new ClosableClock(clock)
  const fired: string[] = []
  closable.setTimer(5, () => fired.push('first'))
  closable.setTimer(10, () => fired.push('second')).cancel()
  closable.setTimer(20, () => fired.push('third'))
  clock.advance(10)
  closable.close()
  closable.setTimer(1, () => fired.push('fourth'))
  expect(clock.pending).toBe(0)
  clock.advance(100)
  expect(fired).toEqual(['first'])
})

describe('delay', () => {
  test('resolves after its time, not before', async () => {
    const clock = new SimulatedClock()
    let isOver = false
    const waiting = delay(clock, 100).then(() => {
      isOver = true
    })
    clock.advance(99)
    await Promise.resolve()
    expect(isOver).toBe(false)
    clock.advance(1)
    await waiting
    expect(isOver).toBe(true)
  })

  test('resolves at once when its signal aborts, and leaves no timer behind', async () => {
    const clock = new SimulatedClock()
    const abort = new AbortController()
    const waiting = delay(clock, 100, abort.signal)
    expect(clock.pending).toBe(1)
    abort.abort()
    await waiting
    expect(clock.pending).toBe(0)
  })

  test('resolves at once when its signal has already aborted', async () => {
    const clock = new SimulatedClock()
    await delay(clock, 100, AbortSignal.abort())
    expect(clock.pending).toBe(0)
  })
})

describe('the system clock', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test("waits for the whole time, also beyond the limit of Node's timers", () => {
    vi.useFakeTimers()
    const days = 40 * 24 * 3600 * 1000
    const fired = vi.fn()
    systemClock.setTimer(days, fired)
    vi.advanceTimersByTime(days - 1)
    expect(fired).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(fired).toHaveBeenCalledTimes(1)
  })

  test('can be cancelled in any part of a long wait', () => {
    vi.useFakeTimers()
    const fired = vi.fn()
    const timer = systemClock.setTimer(2 ** 33, fired)
    vi.advanceTimersByTime(2 ** 32)
    timer.cancel()
    vi.advanceTimersByTime(2 ** 33)
    expect(fired).not.toHaveBeenCalled()
  })

  test('is monotonic', () => {
    const first = systemClock.monotonic()
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(first)
  })
})

describe('generated ids', () => {
  test('consist of a prefix and 16 Crockford characters, without i, l, o and u', () => {
    for (let count = 0; count < 200; count++) expect(newId('apr')).toMatch(/^apr_[0-9a-hjkmnp-tv-z]{16}$/)
    expect(newNonce()).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/)
  })

  test('do not repeat', () => {
    expect(new Set(Array.from({ length: 5000 }, () => newId('ses'))).size).toBe(5000)
  })
})

describe('a prefix of an id', () => {
  const ids = (word: string) =>
    matchingIds('apr', [{ id: 'apr_a1' }, { id: 'apr_a12' }, { id: 'apr_pr' }, { id: 'apr_r_' }], word).map(
      ({ id }) => id,
    )

  test('is searched for after the tag of its kind', () => {
    expect(ids('a')).toEqual(['apr_a1', 'apr_a12'])
    expect(ids('p')).toEqual(['apr_pr'])
    expect(ids('apr')).toEqual([])
    expect(ids('r_')).toEqual(['apr_r_'])
  })

  test('may start with the tag', () => {
    expect(ids('apr_a')).toEqual(['apr_a1', 'apr_a12'])
    expect(ids('apr_')).toHaveLength(4)
    expect(idPrefix('apr', 'run_a')).toBe('apr_run_a')
  })

  test('is the whole id even if another id starts with it', () => {
    expect(ids('apr_a1')).toEqual(['apr_a1'])
  })

  test('matches nothing if it is empty', () => {
    expect(ids('')).toEqual([])
    expect(idPrefix('apr', '')).toBeNull()
  })
})
