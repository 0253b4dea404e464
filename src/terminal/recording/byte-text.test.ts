import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ByteTextDecoder, decodeBytes, encodeText } from './index.js'
import { awkwardBytes, cutAt } from './testing/awkward-bytes.js'

describe('bytes as text', () => {
  test('survive JSON unchanged', () => {
    fc.assert(
      fc.property(awkwardBytes, bytes => {
        const text = JSON.parse(JSON.stringify(decodeBytes(bytes))) as string
        expect(Buffer.from(encodeText(text))).toEqual(bytes)
      }),
    )
  })

  test('keep valid UTF-8, a byte order mark included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), text => {
        expect(decodeBytes(Buffer.from(text))).toBe(text)
      }),
    )
    expect(decodeBytes(Buffer.from('\ufeffx'))).toBe('\ufeffx')
  })

  test('turn an invalid byte, and only that byte, into one lone surrogate', () => {
    expect(decodeBytes(Uint8Array.of(0x61, 0xff, 0x62))).toBe('a\udcffb')
    expect(decodeBytes(Uint8Array.of(0xe2, 0x82, 0x41))).toBe('\udce2\udc82A')
    expect(decodeBytes(Uint8Array.of(0xed, 0xb2, 0x80))).toBe('\udced\udcb2\udc80')
  })

  test('give the same text however they are split, with at most three pending bytes', () => {
    fc.assert(
      fc.property(awkwardBytes, fc.array(fc.nat(100), { maxLength: 8 }), (bytes, cuts) => {
        const carry = new ByteTextDecoder()
        let text = ''
        for (const chunk of cutAt(bytes, cuts)) {
          text += carry.push(chunk)
          expect(carry.pending).toBeLessThanOrEqual(3)
        }
        expect(text + carry.flush()).toBe(decodeBytes(bytes))
        expect(carry.pending).toBe(0)
      }),
    )
  })
})
