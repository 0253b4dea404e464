import {
  createCipheriv,
  createECDH,
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  sign,
} from 'node:crypto'

/*
 * Web Push with nothing but node:crypto: the payload is encrypted for one browser (RFC 8291, in the
 * format of RFC 8188), and each request is signed with the key of this server (VAPID, RFC 8292).
 * The test vector of RFC 8291 is in the tests. Decision 0042 says why this is not a package.
 */

/** The keys of a subscription, base64url as the browser gives them. */
export interface PushKeys {
  p256dh: string
  auth: string
}

export interface VapidKeys {
  /** The uncompressed point, base64url: browsers subscribe with it. */
  publicKey: string
  privateKey: string
}

const RECORD_SIZE = 4096

/** For the test vector of the RFC: the key pair and the salt are random otherwise. */
interface Fixed {
  privateKey: string
  salt: string
}

export function encryptPush(payload: Uint8Array, { p256dh, auth }: PushKeys, fixed?: Fixed): Buffer {
  const ecdh = createECDH('prime256v1')
  if (fixed) ecdh.setPrivateKey(bytesOf(fixed.privateKey))
  else ecdh.generateKeys()
  const ours = ecdh.getPublicKey()
  const theirs = bytesOf(p256dh)
  const salt = fixed ? bytesOf(fixed.salt) : randomBytes(16)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ours])
  const secret = derive(ecdh.computeSecret(theirs), bytesOf(auth), info, 32)
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  // 2 ends the last record.
  const sealed = Buffer.concat([cipher.update(Buffer.concat([payload, Buffer.from([2])])), cipher.final()])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(RECORD_SIZE)
  return Buffer.concat([salt, size, Buffer.from([ours.length]), ours, sealed, cipher.getAuthTag()])
}

function derive(input: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', input, salt, info, length))
}

export function newVapidKeys(): VapidKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const { x, y, d } = privateKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.from([4]), bytesOf(x!), bytesOf(y!)])
  return { publicKey: point.toString('base64url'), privateKey: d! }
}

/** The Authorization header of a request to a push service, valid for 12 hours. */
export function vapidHeader(
  endpoint: string,
  keys: VapidKeys,
  { now, subject }: { now: number; subject: string },
): string {
  const point = bytesOf(keys.publicKey)
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
    d: keys.privateKey,
  }
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now / 1000) + 12 * 3600, sub: subject }
  const text = `${jsonPart({ typ: 'JWT', alg: 'ES256' })}.${jsonPart(claims)}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `vapid t=${text}.${signature.toString('base64url')}, k=${keys.publicKey}`
}

/** A short name of an endpoint, for a topic or an id. */
export function endpointId(endpoint: string): string {
  return createHmac('sha256', 'signalbox').update(endpoint).digest('base64url').slice(0, 22)
}

function jsonPart(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'base64url')
}
