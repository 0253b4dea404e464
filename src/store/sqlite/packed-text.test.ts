import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { packText, unpackText } from './packed-text.js'

const LIMIT = 1024 * 1024
const line = 'const total = items.reduce((sum, item) => sum + item.price, 0) // é😀\n'

test('a long text is compressed, and decompresses to the same text', () => {
  const text = line.repeat(500)
  const packed = packText(text)
  expect(typeof packed).not.toBe('string')
  expect(packed.length).toBeLessThan(text.length / 8)
  expect(unpackText(packed, LIMIT)).toBe(text)
})

test('a short or incompressible text stays as it is', () => {
  expect(packText(line)).toBe(line)
  // Two bytes of UTF-8 per character, hardly compressible.
  const noise = Array.from(randomBytes(20_000), byte => String.fromCharCode(0x4e00 + byte * 79)).join('')
  const packed = packText(noise)
  expect(unpackText(packed, LIMIT)).toBe(noise)
})

test('bytes that are not a compressed text, or exceed the limit, give null', () => {
  const packed = packText(line.repeat(500)) as Uint8Array
  expect(unpackText(packed.subarray(0, packed.length - 3), LIMIT)).toBeNull()
  expect(unpackText(new Uint8Array([1, 2, 3]), LIMIT)).toBeNull()
  expect(unpackText(packed, 1_000)).toBeNull()
})
