import { createHmac, timingSafeEqual } from 'node:crypto'
import { canonicalJson } from '../text/index.js'
import type { ApprovalDecision } from './record.js'

/**
 * A seal proves that a decision passed the checks of the daemon. Every process of the user can write
 * the store, also an agent's; the secret of the seal is in the memory of the keeper and the daemon
 * only, so a decision that was written past them cannot be sealed.
 */
export function sealOf(secret: string, approval: string, decision: ApprovalDecision): string {
  const { seal: _seal, chain: _chain, at: _at, ...sealed } = decision as ApprovalDecision & { at?: number }
  return createHmac('sha256', secret)
    .update(canonicalJson({ approval, ...sealed }))
    .digest('hex')
}

export function isSealed(secret: string, approval: string, decision: ApprovalDecision): boolean {
  const given = Buffer.from(decision.seal ?? '')
  const right = Buffer.from(sealOf(secret, approval, decision))
  return given.length === right.length && timingSafeEqual(given, right)
}
