/**
 * Bytes as JSON text without loss. Valid UTF-8 stays as it is; each invalid byte 0x80–0xFF becomes
 * the lone surrogate U+DC80–U+DCFF (Python's `surrogateescape`), which JSON writes as an escape and
 * which no valid text contains.
 */

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** The length of the sequence that a lead byte starts; 0 for a byte that starts none. */
function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1
  if (lead >= 0xc2 && lead <= 0xdf) return 2
  if (lead >= 0xe0 && lead <= 0xef) return 3
  if (lead >= 0xf0 && lead <= 0xf4) return 4
  return 0
}

/** Whether a second byte fits: no overlong forms, no surrogates, nothing above U+10FFFF. */
function secondByteFits(lead: number, second: number): boolean {
  if ((second & 0xc0) !== 0x80) return false
  if (lead === 0xe0) return second >= 0xa0
  if (lead === 0xed) return second < 0xa0
  if (lead === 0xf0) return second >= 0x90
  if (lead === 0xf4) return second < 0x90
  return true
}

/** The number of bytes at the end that may become one character when more bytes arrive. */
function incompleteTail(bytes: Uint8Array): number {
  const reach = Math.min(3, bytes.length)
  for (let back = 1; back <= reach; back++) {
    const byte = bytes[bytes.length - back]!
    if ((byte & 0xc0) === 0x80) continue
    const length = sequenceLength(byte)
    if (length <= back) return 0
    return back === 1 || secondByteFits(byte, bytes[bytes.length - back + 1]!) ? back : 0
  }
  return 0
}

function decodeInvalid(bytes: Uint8Array): string {
  let text = ''
  let index = 0
  while (index < bytes.length) {
    const lead = bytes[index]!
    const length = sequenceLength(lead)
    const sequence = bytes.subarray(index, index + length)
    const isWhole =
      length > 0 &&
      sequence.length === length &&
      (length === 1 || secondByteFits(lead, sequence[1]!)) &&
      sequence.subarray(2).every(byte => (byte & 0xc0) === 0x80)
    if (isWhole) {
      text += strict.decode(sequence)
      index += length
    } else {
      text += String.fromCharCode(0xdc00 + lead)
      index += 1
    }
  }
  return text
}

/** All of the bytes as text; an incomplete end counts as invalid. */
export function decodeBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch {
    return decodeInvalid(bytes)
  }
}

/** The inverse of `decodeBytes`. */
export function encodeText(text: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text)
  const parts: number[] = []
  for (const character of text) {
    const code = character.codePointAt(0)!
    if (code >= 0xdc80 && code <= 0xdcff) parts.push(code - 0xdc00)
    else parts.push(...encoder.encode(character))
  }
  return Uint8Array.from(parts)
}

/** Decodes chunks; the next one completes a character that the end of one cuts. */
export class ByteTextDecoder {
  #tail: Uint8Array = new Uint8Array(0)

  push(chunk: Uint8Array): string {
    const bytes = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk])
    const keep = incompleteTail(bytes)
    this.#tail = keep === 0 ? new Uint8Array(0) : Uint8Array.from(bytes.subarray(bytes.length - keep))
    return decodeBytes(bytes.subarray(0, bytes.length - keep))
  }

  /** The bytes left at the end of the stream, as text. */
  flush(): string {
    const text = decodeBytes(this.#tail)
    this.#tail = new Uint8Array(0)
    return text
  }

  get pending(): number {
    return this.#tail.length
  }
}
