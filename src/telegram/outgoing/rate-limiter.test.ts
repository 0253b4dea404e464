import fc from 'fast-check'
import { expect, it } from 'vitest'
import { backOff, countCall, DEFAULT_RATE_LIMITS, newRateState, waitBefore } from './rate-limiter.js'

const kinds = fc.constantFrom('send' as const, 'edit' as const, 'draft' as const)

it('calls never exceed the limit, whenever they arrive', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(kinds, fc.integer({ min: 0, max: 3000 })), { maxLength: 200 }), arrivals => {
      let state = newRateState(0)
      let now = 0
      const spent: { at: number; cost: number }[] = []
      for (const [kind, gap] of arrivals) {
        now += gap
        now += waitBefore(state, kind, 'private', now)
        state = countCall(state, kind, 'private', now)
        spent.push({ at: now, cost: kind === 'draft' ? 0.5 : 1 })
        // In any interval: the burst, and one more for each second.
        for (const { at: from } of spent) {
          const sum = spent.filter(({ at }) => at >= from && at <= now).reduce((all, { cost }) => all + cost, 0)
          expect(sum).toBeLessThanOrEqual(DEFAULT_RATE_LIMITS.privateBurst + (now - from) / 1000 + 1e-6)
        }
        // Buckets start empty, so that frequent restarts do not raise the rate.
        const all = spent.reduce((sum, { cost }) => sum + cost, 0)
        expect(all).toBeLessThanOrEqual(now / 1000 + 1e-6)
      }
    }),
    { numRuns: 50 },
  )
})

it('no call is made after a refusal until its time has passed, and then calls are slower for a while', () => {
  const blocked = backOff(countCall(newRateState(-1000), 'send', 'private', 0), 5000, 0)
  expect(waitBefore(blocked, 'send', 'private', 1000)).toBe(4000)
  const open = countCall(countCall(blocked, 'send', 'private', 10_000), 'send', 'private', 10_000)
  expect(waitBefore(open, 'send', 'private', 10_000)).toBeGreaterThan(1000)
})

it('edits in groups have a separate limit', () => {
  let state = newRateState(-10_000)
  for (let count = 0; count < 3; count++) state = countCall(state, 'send', 'group', count)
  expect(waitBefore(state, 'send', 'group', 10)).toBeGreaterThan(0)
  expect(waitBefore(state, 'edit', 'group', 10)).toBe(0)
})
