import { createPrivateKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { isProven, newWorkerKey, proveWorker } from './worker-proof.js'

test('a proof is valid only for its worker, its nonce and its channel', () => {
  const { privatePem, publicKey } = newWorkerKey()
  const words = { worker: 'wrk_a', nonce: 'n', channel: 'c' }
  const proof = proveWorker(createPrivateKey(privatePem), words)
  expect(isProven(publicKey, proof, words)).toBe(true)
  for (const other of [{ worker: 'wrk_b' }, { nonce: 'm' }, { channel: 'd' }])
    expect(isProven(publicKey, proof, { ...words, ...other })).toBe(false)
  expect(isProven(newWorkerKey().publicKey, proof, words)).toBe(false)
  expect(isProven('not a key', proof, words)).toBe(false)
})
