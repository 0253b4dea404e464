import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { encryptPush, newVapidKeys, vapidHeader } from './encrypt.js'

describe('a push message', () => {
  test('is encrypted as in the example of RFC 8291', () => {
    const body = encryptPush(
      Buffer.from('When I grow up, I want to be a watermelon'),
      {
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
      { privateKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', salt: 'DGv6ra1nlYgDCS1FRnbzlw' },
    )
    expect(body.toString('base64url')).toBe(
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
    )
  })

  test('is signed by the server for the origin of the push service', () => {
    const keys = newVapidKeys()
    const header = vapidHeader('https://push.example/send/1', keys, { now: 1_000_000, subject: 'mailto:a@b.c' })
    const [, token] = /^vapid t=([^,]+), k=/.exec(header)!
    const [head, claims, signature] = token!.split('.') as [string, string, string]
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
      aud: 'https://push.example',
      exp: 1000 + 12 * 3600,
      sub: 'mailto:a@b.c',
    })
    const point = Buffer.from(keys.publicKey, 'base64url')
    const key = createPublicKey({
      key: {
        kty: 'EC',
        crv: 'P-256',
        x: point.subarray(1, 33).toString('base64url'),
        y: point.subarray(33).toString('base64url'),
      },
      format: 'jwk',
    })
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      { key, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    )
    expect(isSigned).toBe(true)
  })
})
