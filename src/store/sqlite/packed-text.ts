import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'

/**
 * Texts from this length on are packed. Below, a page of the file is written anyway, and packing only costs time.
 */
const PACKED_FROM = 8 * 1024

/** A text that hardly shrinks stays readable for anything that can open the file. */
const WORTH_IT = 0.9

/**
 * Brotli at its quickest, with a window for one event: measured for 50 kB it takes 55 µs for source code (an eighth is left) and 130 µs
 * for text without any repetition (two thirds are left), about what writing the difference costs. Deflate takes 165 to 1 000 µs for the
 * same; Zstandard is not in Node 20.
 */
const QUICK = {
  chunkSize: 64 * 1024,
  params: { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_LGWIN]: 16 },
}

/** As it goes into the file: long texts packed, as bytes. */
export function packText(text: string): string | Uint8Array {
  if (text.length < PACKED_FROM) return text
  const bytes = Buffer.from(text)
  const packed = brotliCompressSync(bytes, QUICK)
  return packed.length < bytes.length * WORTH_IT ? packed : text
}

/** Null for bytes that are no packed text, or far more than was ever packed. */
export function unpackText(data: string | Uint8Array, limitBytes: number): string | null {
  if (typeof data === 'string') return data
  try {
    return brotliDecompressSync(data, { maxOutputLength: limitBytes }).toString()
  } catch {
    return null
  }
}
