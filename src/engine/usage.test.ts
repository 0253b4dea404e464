import { expect, test } from 'vitest'
import { addUsage, NO_USAGE, type Usage, withEstimatedCost } from './usage.js'

const PRICES = { small: { input: 1, output: 10 }, large: { input: 3, output: 15, cacheRead: 0.3 } }
const USAGE: Usage = { input: 1_000_000, output: 100_000, cacheRead: 400_000 }

test('a cost that the agent reports is used unchanged', () => {
  expect(withEstimatedCost({ ...USAGE, costUsd: 7 }, 'small', PRICES)).toEqual({ ...USAGE, costUsd: 7 })
})

test('tokens are priced if the agent reports no cost, and the sum is marked as an estimate', () => {
  expect(withEstimatedCost(USAGE, 'small', PRICES)).toEqual({ ...USAGE, costUsd: 2, isEstimate: true })
  const usage: Usage = USAGE
  const { costUsd } = withEstimatedCost(usage, 'large', PRICES)
  expect(costUsd).toBeCloseTo(0.6 * 3 + 0.4 * 0.3 + 1.5)
})

test('usage without a model or a price has no cost', () => {
  expect(withEstimatedCost(USAGE, null, PRICES)).toEqual(USAGE)
  expect(withEstimatedCost(USAGE, 'unknown', PRICES)).toEqual(USAGE)
  expect(withEstimatedCost(USAGE, 'constructor', PRICES)).toEqual(USAGE)
})

test('a sum of which a part has no known price is marked, in any order', () => {
  const [priced, unpriced] = [
    { input: 1, output: 1, costUsd: 2 },
    { input: 5, output: 5 },
  ]
  const partial = { input: 6, output: 6, costUsd: 2, isPartial: true }
  expect(addUsage(priced, unpriced)).toEqual(partial)
  expect(addUsage(unpriced, priced)).toEqual(partial)
  expect(addUsage(addUsage(NO_USAGE, unpriced), priced)).toEqual(partial)
  expect(addUsage(partial, priced)).toMatchObject({ costUsd: 4, isPartial: true })
  expect(addUsage(unpriced, unpriced)).toEqual({ input: 10, output: 10 })
  expect(addUsage(priced, NO_USAGE)).toEqual(priced)
})
