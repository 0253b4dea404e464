import { createPrivateKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { hasValidSignature, newWorkerKey, proveWorker } from './worker-proof.js'

test('a proof is valid only for its worker, its nonce and its channel', () => {
  const { privatePem, publicKey } = newWorkerKey()
  const words = { worker: 'wrk_a', nonce: 'n', channel: 'c' }
  const proof = proveWorker(createPrivateKey(privatePem), words)
  expect(hasValidSignature(publicKey, proof, words)).toBe(true)
  for (const other of [{ worker: 'wrk_b' }, { nonce: 'm' }, { channel: 'd' }])
    expect(hasValidSignature(publicKey, proof, { ...words, ...other })).toBe(false)
  expect(hasValidSignature(newWorkerKey().publicKey, proof, words)).toBe(false)
  expect(hasValidSignature('not a key', proof, words)).toBe(false)
})
