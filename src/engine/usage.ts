import type { EventData } from '../events/index.js'
import { isUnpriced } from '../text/index.js'

/** Tokens and cost. */
export type Usage = NonNullable<EventData<'step.ended'>['usage']>

export type Limits = NonNullable<EventData<'run.created'>['limits']>

export const NO_USAGE: Usage = { input: 0, output: 0 }

export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Usage = { input: a.input + b.input, output: a.output + b.output }
  for (const key of ['cacheRead', 'cacheWrite', 'reasoning', 'costUsd'] as const) {
    if (a[key] !== undefined || b[key] !== undefined) sum[key] = (a[key] ?? 0) + (b[key] ?? 0)
  }
  if (a.isEstimate || b.isEstimate) sum.isEstimate = true
  if (sum.costUsd !== undefined && (isUnpriced(a) || isUnpriced(b))) sum.isPartial = true
  return sum
}

export function tokensOf(usage: Usage): number {
  return usage.input + usage.output
}

export interface Spending {
  limit: keyof Limits
  spent: number
  of: number
}

/** From this share on, a limit counts as nearly used up. */
const WARN_SHARE = 0.8

/** Which limits are nearly or completely used up. */
export function checkLimits(
  limits: Limits,
  usage: Usage,
  timeMs: number,
): { warned: Spending[]; exceeded: Spending[] } {
  const spent: Record<keyof Limits, number> = { costUsd: usage.costUsd ?? 0, tokens: tokensOf(usage), timeMs }
  const all = (Object.keys(spent) as (keyof Limits)[]).flatMap(limit => {
    const of = limits[limit]
    return of === undefined ? [] : [{ limit, spent: spent[limit], of }]
  })
  return {
    warned: all.filter(({ spent, of }) => spent >= of * WARN_SHARE),
    exceeded: all.filter(({ spent, of }) => spent >= of),
  }
}

/** USD per million tokens. */
interface Price {
  input: number
  output: number
  cacheRead?: number
}

/** By model name, as the agent reports it. */
export type Prices = Readonly<Record<string, Price>>

const MILLION = 1_000_000

/** Adds an estimated cost if the agent reported none and the model has a price. */
export function withEstimatedCost<U extends Usage>(
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
