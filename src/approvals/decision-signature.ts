import { createHmac, timingSafeEqual } from 'node:crypto'
import { canonicalJson } from '../text/index.js'
import type { ApprovalDecision } from './record.js'

/**
 * The signature (an HMAC) proves that a decision passed the checks of the daemon. Every process of
 * the user can write to the store, including an agent's. Only the keeper and the daemon have the
 * secret, in memory, so a decision that another process writes has no valid signature.
 */
export function signatureOf(secret: string, approval: string, decision: ApprovalDecision): string {
  const { signature: _signature, chain: _chain, at: _at, ...signed } = decision as ApprovalDecision & { at?: number }
  return createHmac('sha256', secret)
    .update(canonicalJson({ approval, ...signed }))
    .digest('hex')
}

export function hasSignature(secret: string, approval: string, decision: ApprovalDecision): boolean {
  const given = Buffer.from(decision.signature ?? '')
  const right = Buffer.from(signatureOf(secret, approval, decision))
  return given.length === right.length && timingSafeEqual(given, right)
}
