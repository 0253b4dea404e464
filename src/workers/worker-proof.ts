import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'

const LABEL = 'signalbox-worker-v1'

export interface ProofData {
  worker: string
  /** Chosen by the server for this connection. */
  nonce: string
  /** The exporter value of the TLS channel; empty without TLS, which only loopback has. */
  channel: string
}

/** Signs for one connection: a proxy in between has another channel, so it cannot pass this on. */
export function proveWorker(key: KeyObject, data: ProofData): string {
  return sign(null, message(data), key).toString('base64')
}

export function hasValidSignature(publicKey: string, signature: string, data: ProofData): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    return verify(null, message(data), key, Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}

export function newWorkerKey(): { privatePem: string; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    privatePem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  }
}

function message({ worker, nonce, channel }: ProofData): Buffer {
  return Buffer.from([LABEL, worker, nonce, channel].join('\n'))
}
