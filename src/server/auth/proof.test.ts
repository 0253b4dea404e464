import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Nonces } from './auth.js'
import { isProofOf, PROOF_MS, parseProof, proofText, signProof } from './proof.js'

const key = Buffer.alloc(32, 7)
const request = { method: 'GET', target: '/api/v1/sessions?limit=20', host: '127.0.0.1:4100', body: new Uint8Array() }
const stamp = { ms: 1_794_737_573_431, nonce: 'pR0bZk3vQm8sT1aXyUe2Lw' }

describe('the proof of a browser', () => {
  test('signs exactly the text that the guide describes', () => {
    expect(proofText(request, stamp)).toBe(
      'signalbox-proof-v1\nGET\n/api/v1/sessions?limit=20\n127.0.0.1:4100\n1794737573431\npR0bZk3vQm8sT1aXyUe2Lw\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    )
  })

  test('is accepted if Web Crypto made it', async () => {
    const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    const signed = await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(proofText(request, stamp)))
    expect(Buffer.from(signed).toString('base64url')).toBe(signProof(key, request, stamp))
  })

  test('is invalid for any other method, target, host, body, time, nonce or key', () => {
    const proof = { device: 'dev_0000000000000000', ...stamp, signature: signProof(key, request, stamp) }
    expect(isProofOf(key, request, proof)).toBe(true)
    const others = fc.record({
      method: fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE'),
      target: fc.webPath(),
      host: fc.domain(),
      body: fc.uint8Array({ maxLength: 20 }),
      ms: fc.integer({ min: 1e12, max: 9e12 }),
    })
    fc.assert(
      fc.property(others, ({ ms, ...other }) => {
        const isSame = proofText(other, { ...stamp, ms }) === proofText(request, stamp)
        return isProofOf(key, other, { ...proof, ms }) === isSame
      }),
    )
    expect(isProofOf(Buffer.alloc(32, 8), request, proof)).toBe(false)
  })

  test('is not parsed from a header of another form', () => {
    const good = `dev_0123456789abcdef.1794737573431.pR0bZk3vQm8sT1aXyUe2Lw.${'x'.repeat(43)}`
    expect(parseProof(good)).toMatchObject({ device: 'dev_0123456789abcdef', ms: 1_794_737_573_431 })
    for (const bad of ['', `${good}x`, good.slice(1), good.replace('.', '..'), good.replaceAll('x', '+'), `${good}\n`])
      expect(parseProof(bad)).toBeNull()
    fc.assert(fc.property(fc.string(), text => parseProof(text) === null))
  })
})

test('a nonce is accepted once per device, and forgotten when its proof has expired', () => {
  const nonces = new Nonces()
  expect(nonces.use('a', 'n', 0)).toBe(true)
  expect(nonces.use('a', 'n', PROOF_MS)).toBe(false)
  expect(nonces.use('b', 'n', PROOF_MS)).toBe(true)
  expect(nonces.use('c', 'm', 2 * PROOF_MS)).toBe(true)
  expect(nonces.size).toBe(2)
})
