import { createHash, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ServerSettings } from './settings.js'

/** Workers check the server by its key, so that a certificate needs no authority. */
export function pinOf({ tls }: Pick<ServerSettings, 'tls'>): string | null {
  if (!tls) return null
  const { publicKey } = new X509Certificate(readFileSync(tls.certFile))
  return createHash('sha256')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('base64url')
}
