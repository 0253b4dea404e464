import { isUnpriced } from '../../../src/text/cost-words'
import { timeOf } from '../api/format'
import type { Overview, Run } from '../api/types'

type Spend = Overview['spendToday']

/**
 * What today's runs cost, after one of them changed. `before`: the run as the page knew it; its
 * share is replaced, if it counted, which the server decides by the time of its last change.
 */
export function spendAfter(spend: Spend, before: Run | undefined, run: Run, midnight: number): Spend {
  const known = before && timeOf(before.updatedAt) >= midnight ? before : undefined
  const tokensOf = ({ usage }: Run) => usage.input + usage.output
  return {
    ...spend,
    costUsd: spend.costUsd + (run.usage.costUsd ?? 0) - (known?.usage.costUsd ?? 0),
    tokens: spend.tokens + tokensOf(run) - (known ? tokensOf(known) : 0),
    runs: spend.runs + (known ? 0 : 1),
    unpriced: {
      ...spend.unpriced,
      runs:
        spend.unpriced.runs + Number(isUnpriced(run.usage)) - Number(known !== undefined && isUnpriced(known.usage)),
    },
  }
}
