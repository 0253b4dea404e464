import { expect, test } from 'vitest'
import { priced } from './prices.js'
import type { Usage } from './usage.js'

const PRICES = { small: { input: 1, output: 10 }, large: { input: 3, output: 15, cacheRead: 0.3 } }
const USAGE: Usage = { input: 1_000_000, output: 100_000, cacheRead: 400_000 }

test('an agent that tells its cost is believed', () => {
  expect(priced({ ...USAGE, costUsd: 7 }, 'small', PRICES)).toEqual({ ...USAGE, costUsd: 7 })
})

test('else its tokens are priced, and the sum is marked', () => {
  expect(priced(USAGE, 'small', PRICES)).toEqual({ ...USAGE, costUsd: 2, isEstimate: true })
  const usage: Usage = USAGE
  const { costUsd } = priced(usage, 'large', PRICES)
  expect(costUsd).toBeCloseTo(0.6 * 3 + 0.4 * 0.3 + 1.5)
})

test('without a model or a price there is no cost', () => {
  expect(priced(USAGE, null, PRICES)).toEqual(USAGE)
  expect(priced(USAGE, 'unknown', PRICES)).toEqual(USAGE)
  expect(priced(USAGE, 'constructor', PRICES)).toEqual(USAGE)
})
