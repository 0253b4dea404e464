import type { KnownCost } from '../../../src/text/cost-words'
import { formatMoney } from '../api/format'

/** A cost in large type. */
export function CostFigure({ cost }: { cost: KnownCost }) {
  return (
    <>
      {cost.isPartial && <small>at least </small>}
      {formatMoney(cost.costUsd ?? undefined)}
    </>
  )
}
