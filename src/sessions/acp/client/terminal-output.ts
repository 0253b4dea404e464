import { StringDecoder } from 'node:string_decoder'

/** What a terminal keeps, at most: the keeper holds at least as much for the next daemon. */
export const OUTPUT_MAX = 256 * 1024

/** The newest output of a command, as text that begins and ends with a whole character. */
export class TerminalOutput {
  readonly #limit: number
  #chunks: Uint8Array[] = []
  #size = 0
  /** Bytes that came before the kept ones. */
  #dropped: number

  /** `limit`: bytes that the agent asked to keep. `from`: where the kept output begins. */
  constructor(limit: number | undefined, from = 0) {
    this.#limit = Math.min(OUTPUT_MAX, limit ?? OUTPUT_MAX)
    this.#dropped = from
  }

  push(bytes: Uint8Array): void {
    this.#chunks.push(bytes)
    this.#size += bytes.length
    while (this.#size - this.#chunks[0]!.length >= OUTPUT_MAX) {
      const { length } = this.#chunks.shift()!
      this.#size -= length
      this.#dropped += length
    }
  }

  read(): { output: string; truncated: boolean } {
    // An incomplete character at the end is still being printed.
    const kept = withoutPart(Buffer.concat(this.#chunks), this.#dropped > 0)
    const text = Buffer.from(new StringDecoder('utf8').write(kept))
    const isCut = text.length > this.#limit
    const output = isCut ? withoutPart(text.subarray(text.length - this.#limit), true) : text
    return { output: output.toString('utf8'), truncated: isCut || this.#dropped > 0 }
  }
}

/** Without the rest of a character whose beginning was cut off. */
function withoutPart(bytes: Buffer, isCut: boolean): Buffer {
  let start = 0
  while (isCut && start < 4 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start++
  return bytes.subarray(start)
}
