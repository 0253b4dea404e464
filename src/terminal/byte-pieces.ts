import { PIECE_MAX } from './xterm-core.js'

/*
 * Cuts incoming bytes into pieces for the parser, so that what the parser does never depends on how the operating system
 * cut the program's output, and so that a hook can tell what byte it stands at:
 *
 * 1. No piece ends inside a UTF-8 character. xterm keeps unfinished characters itself, but wrongly: a continuation byte
 *    0x80, as in `…` (E2 80 A6), is taken for a missing one. An unfinished character is held for the next call.
 * 2. A piece ends behind every byte that could end a synchronized update: an `l` behind a byte that may stand inside a
 *    control sequence. When the hook for `CSI ?2026l` runs, nothing behind it is parsed yet, and the caller knows that
 *    later bytes belong to the next frame.
 * 3. A piece that ends with BEL starts behind the last ESC before it. So an OSC hook can tell the terminator: BEL if the
 *    piece ends with BEL, else ST.
 */

const BEL = 0x07
const ESC = 0x1b
const SMALL_L = 0x6c
const DEL = 0x7f

export class ByteCutter {
  /** The bytes of an unfinished character. */
  held: Uint8Array
  /** The last byte that was handed out, for rule 2 across calls. */
  #last: number

  constructor(held: Uint8Array = new Uint8Array(0), lastByte = 0) {
    this.held = held
    this.#last = lastByte
  }

  /** Pieces of `bytes` in order. Afterwards `held` has what is not in them. */
  *pieces(bytes: Uint8Array): Generator<Uint8Array> {
    const input = this.held.length > 0 ? concat(this.held, bytes) : plainView(bytes)
    const end = input.length - unfinishedLength(input, input.length)
    let start = 0
    let nextL = this.#nextSyncEnd(input, 0, end)
    let nextBel = indexOf(input, BEL, 0, end)
    while (start < end) {
      let stop = Math.min(nextL, nextBel, end)
      if (nextBel === stop && stop < end) {
        const lastEscape = input.subarray(start, stop).lastIndexOf(ESC)
        if (lastEscape >= 0) stop = start + lastEscape
      }
      stop = Math.min(stop + 1, end)
      if (stop - start > PIECE_MAX) stop = start + PIECE_MAX - unfinishedLength(input, start + PIECE_MAX)
      this.#last = input[stop - 1] ?? 0
      yield input.subarray(start, stop)
      start = stop
      if (nextL < start) nextL = this.#nextSyncEnd(input, start, end)
      if (nextBel < start) nextBel = indexOf(input, BEL, start, end)
    }
    this.held = input.slice(end)
  }

  #nextSyncEnd(input: Uint8Array, from: number, end: number): number {
    for (let at = indexOf(input, SMALL_L, from, end); at < end; at = indexOf(input, SMALL_L, at + 1, end)) {
      const before = at > 0 ? input[at - 1]! : this.#last
      if (before < 0x40 || before === DEL) return at
    }
    return end
  }
}

/** Does the piece end with BEL, so that an OSC finished inside it was ended by BEL? */
export function endsWithBell(piece: Uint8Array): boolean {
  return piece[piece.length - 1] === BEL
}

/** How many bytes before `end` belong to a character that is not complete there. */
function unfinishedLength(bytes: Uint8Array, end: number): number {
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = bytes[end - back]!
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < sequenceLength(byte) ? back : 0
  }
  return 0
}

function sequenceLength(lead: number): number {
  if (lead < 0xe0) return 2
  if (lead < 0xf0) return 3
  return lead < 0xf8 ? 4 : 1
}

function indexOf(bytes: Uint8Array, byte: number, from: number, end: number): number {
  const at = bytes.indexOf(byte, from)
  return at < 0 || at > end ? end : at
}

/** A Buffer's `subarray` is slow, and its `slice` copies nothing: what is held would change with the caller's memory. */
function plainView(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

export function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length)
  joined.set(a)
  joined.set(b, a.length)
  return joined
}
