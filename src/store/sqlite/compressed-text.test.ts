import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { compressText, decompressText } from './compressed-text.js'

const LIMIT = 1024 * 1024
const line = 'const total = items.reduce((sum, item) => sum + item.price, 0) // é😀\n'

test('a long text is compressed, and decompresses to the same text', () => {
  const text = line.repeat(500)
  const compressed = compressText(text)
  expect(typeof compressed).not.toBe('string')
  expect(compressed.length).toBeLessThan(text.length / 8)
  expect(decompressText(compressed, LIMIT)).toBe(text)
})

test('a short or incompressible text stays as it is', () => {
  expect(compressText(line)).toBe(line)
  // Two bytes of UTF-8 per character, hardly compressible.
  const noise = Array.from(randomBytes(20_000), byte => String.fromCharCode(0x4e00 + byte * 79)).join('')
  const compressed = compressText(noise)
  expect(decompressText(compressed, LIMIT)).toBe(noise)
})

test('bytes that are not a compressed text, or exceed the limit, give null', () => {
  const compressed = compressText(line.repeat(500)) as Uint8Array
  expect(decompressText(compressed.subarray(0, compressed.length - 3), LIMIT)).toBeNull()
  expect(decompressText(new Uint8Array([1, 2, 3]), LIMIT)).toBeNull()
  expect(decompressText(compressed, 1_000)).toBeNull()
})
