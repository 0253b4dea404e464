import type { Usage } from './usage.js'

/** USD for a million tokens. */
export interface Price {
  input: number
  output: number
  cacheRead?: number
}

/** By the name of a model, as its agent gives it. */
export type Prices = Readonly<Record<string, Price>>

const MILLION = 1_000_000

/** What was spent, with a cost where the agent told none and the model has a price: marked as an estimate. */
export function priced<U extends Usage>(
  usage: U,
  model: string | null,
  prices: Prices,
): U | (U & { costUsd: number; isEstimate: true }) {
  const price = model === null || !Object.hasOwn(prices, model) ? undefined : prices[model]
  if (usage.costUsd !== undefined || !price) return usage
  const cached = Math.min(usage.cacheRead ?? 0, usage.input)
  const cost =
    (usage.input - cached) * price.input + cached * (price.cacheRead ?? price.input) + usage.output * price.output
  return { ...usage, costUsd: cost / MILLION, isEstimate: true }
}
