import { expect, test } from 'vitest'
import { type Usage, withEstimatedCost } from './usage.js'

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
