import type { Device } from './device'

const encoder = new TextEncoder()

/**
 * The signature of one request. It is valid once, for this request, for a minute, and does not
 * reveal the key.
 */
export async function proofFor(
  device: Device,
  request: { method: string; path: string; body: Uint8Array<ArrayBuffer> },
  now: number,
): Promise<string> {
  const nonce = base64url(crypto.getRandomValues(new Uint8Array(16)))
  const bodyHash = hex(await crypto.subtle.digest('SHA-256', request.body))
  const parts = ['signalbox-proof-v1', request.method, request.path, location.host.toLowerCase(), now, nonce, bodyHash]
  const signature = await crypto.subtle.sign('HMAC', device.key, encoder.encode(parts.join('\n')))
  return `${device.id}.${now}.${nonce}.${base64url(new Uint8Array(signature))}`
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

function hex(buffer: ArrayBuffer): string {
  return Array.from(new Uint8Array(buffer), byte => byte.toString(16).padStart(2, '0')).join('')
}
