import { concat } from './byte-splitter.js'
import { PAYLOAD_MAX } from './parser-hooks.js'

/*
 * The bytes of a control sequence that has started and not ended: a restored parser receives them
 * to reach the state of the old one. Such a sequence starts at the last ESC (every ESC restarts the
 * parser) or C1 introducer. Control characters inside it took effect when they arrived and must not
 * be repeated.
 */

const ESC = 0x1b
const C1_LEAD = 0xc2
const C1_INTRODUCERS = new Set([0x90, 0x98, 0x9b, 0x9d, 0x9e, 0x9f])

/** Longer than any payload that is kept. */
const LENGTH_MAX = PAYLOAD_MAX + 4096

export class UnfinishedSequence {
  #bytes: Uint8Array

  constructor(bytes: Uint8Array = new Uint8Array(0)) {
    this.#bytes = bytes
  }

  get bytes(): Uint8Array {
    return this.#bytes
  }

  /** A piece was parsed; `isBetween`: the parser is between sequences now. */
  parsed(piece: Uint8Array, isBetween: boolean): void {
    if (isBetween) {
      if (this.#bytes.length > 0) this.#bytes = new Uint8Array(0)
      return
    }
    const start = lastIntroducer(piece)
    if (start < 0 && this.#bytes.length >= LENGTH_MAX) return
    const rest = piece.subarray(Math.max(0, start)).filter(byte => byte >= 0x20 || byte === ESC)
    this.#bytes = (start < 0 ? concat(this.#bytes, rest) : rest).slice(0, LENGTH_MAX)
  }
}

function lastIntroducer(piece: Uint8Array): number {
  const escapeAt = piece.lastIndexOf(ESC)
  for (let at = piece.lastIndexOf(C1_LEAD); at > escapeAt; at = at > 0 ? piece.lastIndexOf(C1_LEAD, at - 1) : -1) {
    if (C1_INTRODUCERS.has(piece[at + 1] ?? 0)) return at
  }
  return escapeAt
}
