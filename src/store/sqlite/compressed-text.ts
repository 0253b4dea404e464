import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'

/** Texts of this length are compressed; shorter ones occupy a whole page even if compressed. */
const COMPRESS_FROM_CHARACTERS = 8 * 1024

/** A text that hardly shrinks stays readable for any program that can open the file. */
const COMPRESSED_SHARE_MAX = 0.9

/**
 * Brotli at its fastest level, with a window for one event: 50 kB take 55 µs for source code (1/8
 * remains) and 130 µs for text without any repetition (2/3 remain), about the time that writing the
 * difference takes. Deflate takes 165 to 1 000 µs for the same; Zstandard is not available in Node
 * 20.
 */
const QUICK = {
  chunkSize: 64 * 1024,
  params: { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_LGWIN]: 16 },
}

/** The stored form: long texts compressed, as bytes. */
export function compressText(text: string): string | Uint8Array {
  if (text.length < COMPRESS_FROM_CHARACTERS) return text
  const bytes = Buffer.from(text)
  const compressed = brotliCompressSync(bytes, QUICK)
  return compressed.length < bytes.length * COMPRESSED_SHARE_MAX ? compressed : text
}

/** Null for bytes that are not a compressed text, or that decompress to more than the limit. */
export function decompressText(data: string | Uint8Array, limitBytes: number): string | null {
  if (typeof data === 'string') return data
  try {
    return brotliDecompressSync(data, { maxOutputLength: limitBytes }).toString()
  } catch {
    return null
  }
}
