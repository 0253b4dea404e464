import { describe, expect, test } from 'vitest'
import { qrCode, qrLines } from './qr-code.js'

describe('a QR code', () => {
  // Read back with a decoder when it was written, as were codes of every length from 1 to 213
  // bytes.
  test('is the one that decoders read, for a short text', () => {
    expect(qrLines('Signalbox', { isInverse: true })).toMatchSnapshot()
  })

  test('grows with its text, and has its three corners', () => {
    expect([1, 14, 15, 84, 85, 213].map(length => qrCode('x'.repeat(length)).length)).toEqual([21, 21, 25, 37, 41, 57])
    const rows = qrCode('https://example.com/login#abcdefghijklmnopqrstuvwxyz012345')
    const corner = (x: number, y: number) => rows.slice(y, y + 7).map(row => row.slice(x, x + 7))
    const [first, ...others] = [corner(0, 0), corner(rows.length - 7, 0), corner(0, rows.length - 7)]
    for (const other of others) expect(other).toEqual(first)
    expect(first![0]!.every(Boolean)).toBe(true)
  })

  test('is refused for a text that is too long', () => {
    expect(() => qrCode('x'.repeat(214))).toThrow(/213/)
  })
})
