import fc from 'fast-check'

/**
 * Bytes that are mostly edge cases of UTF-8: complete characters, cut ones, overlong forms,
 * surrogates, values that are too large.
 */
export const awkwardBytes = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 4 }).map(text => Buffer.from(text.toWellFormed(), 'utf8')),
      fc.uint8Array({ maxLength: 6 }),
      fc.constantFrom(
        [0xe2, 0x82],
        [0xf0, 0x9f, 0x98],
        [0xed, 0xa0, 0x80],
        [0xc0, 0xaf],
        [0xf4, 0x90, 0x80, 0x80],
        [0xef, 0xbb, 0xbf],
        [0x0a],
        [0xf0],
      ),
    ),
    { maxLength: 12 },
  )
  .map(parts => Buffer.concat(parts.map(part => Buffer.from(part))))

export function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [...new Set(cuts.map(cut => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length))
}
