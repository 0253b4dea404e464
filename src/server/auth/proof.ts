import { createHash, createHmac } from 'node:crypto'
import { isSameSecret } from './same-secret.js'

/*
 * A browser proves with every request that it has its device's key, without sending the key. It
 * signs:
 *
 *     signalbox-proof-v1 ⏎
 *     METHOD ⏎                      GET, POST …; GET for the upgrade of a terminal
 *     path and query as requested ⏎ /api/v1/sessions?limit=20
 *     Host header ⏎                 127.0.0.1:4100, in lower case
 *     milliseconds ⏎                of the browser's clock, decimal
 *     nonce ⏎                       16 to 64 characters of A-Z a-z 0-9 _ -
 *     hex SHA-256 of the body       of zero bytes if there is no body
 *
 * joined by single line feeds, without one at the end; HMAC-SHA-256 with the 32 bytes of the key,
 * in base64url without padding. The header is `X-Signalbox-Proof:
 * <device>.<milliseconds>.<nonce>.<signature>`. So a proof is valid for one request to one address,
 * once, within a minute; another program that receives it cannot use it.
 */

export const PROOF_HEADER = 'x-signalbox-proof'
/** How much the clocks of browser and server may differ. */
export const PROOF_MS = 60_000

export interface ProofParts {
  device: string
  ms: number
  nonce: string
  signature: string
}

export interface ProvenRequest {
  method: string
  /** Path and query. */
  target: string
  host: string
  body: Uint8Array
}

const PROOF = /^(dev_[a-z0-9]{16})\.(\d{13})\.([A-Za-z0-9_-]{16,64})\.([A-Za-z0-9_-]{43})$/

export function parseProof(text: string): ProofParts | null {
  const match = PROOF.exec(text)
  if (!match) return null
  return { device: match[1]!, ms: Number(match[2]), nonce: match[3]!, signature: match[4]! }
}

export function proofText(request: ProvenRequest, { ms, nonce }: Pick<ProofParts, 'ms' | 'nonce'>): string {
  const bodyHash = createHash('sha256').update(request.body).digest('hex')
  const { method, target, host } = request
  return ['signalbox-proof-v1', method.toUpperCase(), target, host.toLowerCase(), ms, nonce, bodyHash].join('\n')
}

export function signProof(key: Uint8Array, request: ProvenRequest, stamp: Pick<ProofParts, 'ms' | 'nonce'>): string {
  return createHmac('sha256', key).update(proofText(request, stamp)).digest('base64url')
}

export function isProofOf(key: Uint8Array, request: ProvenRequest, proof: ProofParts): boolean {
  return isSameSecret(signProof(key, request, proof), proof.signature)
}
