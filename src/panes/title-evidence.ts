import type { Pack } from '../screen/index.js'
import type { Claim } from './evidence.js'

/**
 * What a terminal title says, by the pack's `title` rules. Positive evidence only: a title that looks idle proves nothing, because agents
 * leave their idle title up while they are blocked.
 */
export function titleClaim(title: string, pack: Pack): { claim: Claim; ref: string } | null {
  for (const rule of pack.rules) {
    if (rule.region !== 'title' || !rule.line?.test(title)) continue
    const ref = `${pack.agent}/${rule.id}`
    if (rule.awaiting) return { claim: { is: 'blocked', awaiting: rule.awaiting }, ref }
    if (rule.busy) return { claim: { is: 'working' }, ref }
  }
  return null
}
