import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DEFAULT_PACE, freshPace, sleep, spend, waitBefore } from './rate-limiter.js'

const kinds = fc.constantFrom('send' as const, 'edit' as const, 'draft' as const)

it('never speaks faster than allowed, whatever comes when', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(kinds, fc.integer({ min: 0, max: 3000 })), { maxLength: 200 }), arrivals => {
      let state = freshPace(0)
      let now = 0
      const spent: { at: number; cost: number }[] = []
      for (const [kind, gap] of arrivals) {
        now += gap
        now += waitBefore(state, kind, 'private', now)
        state = spend(state, kind, 'private', now)
        spent.push({ at: now, cost: kind === 'draft' ? 0.5 : 1 })
        // In any stretch of time: the burst, and one more for each second.
        for (const { at: from } of spent) {
          const sum = spent.filter(({ at }) => at >= from && at <= now).reduce((all, { cost }) => all + cost, 0)
          expect(sum).toBeLessThanOrEqual(DEFAULT_PACE.privateBurst + (now - from) / 1000 + 1e-6)
        }
        // From the first moment on: nothing was saved up, so starting over and over again is no way to be faster.
        const all = spent.reduce((sum, { cost }) => sum + cost, 0)
        expect(all).toBeLessThanOrEqual(now / 1000 + 1e-6)
      }
    }),
    { numRuns: 50 },
  )
})

it('is silent for as long as it was told, and slower for a while after', () => {
  const asleep = sleep(spend(freshPace(-1000), 'send', 'private', 0), 5000, 0)
  expect(waitBefore(asleep, 'send', 'private', 1000)).toBe(4000)
  const awake = spend(spend(asleep, 'send', 'private', 10_000), 'send', 'private', 10_000)
  expect(waitBefore(awake, 'send', 'private', 10_000)).toBeGreaterThan(1000)
})

it('edits in groups have an allowance of their own', () => {
  let state = freshPace(-10_000)
  for (let count = 0; count < 3; count++) state = spend(state, 'send', 'group', count)
  expect(waitBefore(state, 'send', 'group', 10)).toBeGreaterThan(0)
  expect(waitBefore(state, 'edit', 'group', 10)).toBe(0)
})
