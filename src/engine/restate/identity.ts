import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import type { EventStore } from '../../store/index.js'

const KEY = 'engine/identity'
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/**
 * The key with which the nodes of the engine sign their requests: one for all nodes of a store,
 * made by the first server. It protects the endpoints of the servers from other programs on their
 * machines, and nothing else.
 */
export async function engineIdentity(store: EventStore): Promise<{ pem: string; publicKey: string }> {
  const found = await store.loadSnapshot(KEY)
  if (found) return identityOf(String(found.state))
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const isOurs = await store.replaceSnapshot(KEY, null, { version: 1, state: pem })
  return isOurs ? identityOf(pem) : engineIdentity(store)
}

function identityOf(pem: string): { pem: string; publicKey: string } {
  return { pem, publicKey: publicKeyOf(pem) }
}

/** As Restate writes it. */
export function publicKeyOf(pem: string): string {
  const { x } = createPublicKey(createPrivateKey(pem)).export({ format: 'jwk' })
  return `publickeyv1_${base58(Buffer.from(x!, 'base64url'))}`
}

function base58(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  for (; rest > 0n; rest /= 58n) text = ALPHABET[Number(rest % 58n)] + text
  const zeros = bytes.findIndex(byte => byte !== 0)
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text
}
