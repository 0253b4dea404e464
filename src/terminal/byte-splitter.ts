import { PIECE_MAX } from './xterm-core.js'

/*
 * Cuts incoming bytes into pieces for the parser, so that what the parser does never depends on how the operating system
 * cut the program's output, and so that a hook can tell what byte it stands at:
 *
 * 1. No piece ends inside a UTF-8 character. xterm keeps unfinished characters itself, but wrongly: a continuation byte
 *    0x80, as in `…` (E2 80 A6), is taken for a missing one. An unfinished character is held for the next call.
 * 2. A piece ends behind every byte that could end a synchronized update: an `l` behind parameters that could say 2026.
 *    When the hook for `CSI ?2026l` runs, nothing behind it is parsed yet, and the caller knows that later bytes belong
 *    to the next frame.
 * 3. A piece ends behind a BEL that could end a question, and starts behind the last ESC before it. So an OSC hook can
 *    tell the terminator to answer with: BEL if the piece was cut so, else ST.
 *
 * Every piece costs a call of the parser, so what can be seen to be neither (hiding the cursor, a window title) is not
 * cut. What lies before the bytes at hand is not looked at again: there a cut too many is made, which changes nothing.
 */

const BEL = 0x07
const ESC = 0x1b
const QUESTION = 0x3f
const SMALL_L = 0x6c
const DEL = 0x7f

/** Bytes that say something about a cut; all others are passed over. */
const MATTERS = new Uint8Array(256)
for (const byte of [BEL, ESC, QUESTION, SMALL_L]) MATTERS[byte] = 1

/** A piece; `endsQuestion`: its last byte is a BEL that may have ended a question. */
export type OnPiece = (piece: Uint8Array, endsQuestion: boolean) => void

export class ByteSplitter {
  /** The bytes of an unfinished character. */
  pending: Uint8Array
  /** The last byte that was handed out, for rule 2 across calls. */
  #last: number

  constructor(held: Uint8Array = new Uint8Array(0), lastByte = 0) {
    this.pending = held
    this.#last = lastByte
  }

  /** Hands out `bytes` in pieces. Afterwards `held` has what is not in them. */
  split(bytes: Uint8Array, take: OnPiece): void {
    const input = this.pending.length > 0 ? concat(this.pending, bytes) : plainView(bytes)
    const end = input.length - unfinishedLength(input, input.length)
    let start = 0
    let escapeAt = -1
    let hasQuestion = false
    for (let at = 0; at < end; at++) {
      const byte = input[at]!
      if (MATTERS[byte] === 0) continue
      if (byte === ESC) {
        escapeAt = at
        hasQuestion = false
      } else if (byte === QUESTION) {
        hasQuestion = true
      } else if (byte === SMALL_L) {
        if (this.#mayEndUpdate(input, at)) start = handOut(input, start, at + 1, take, false)
      } else if (escapeAt < start || hasQuestion) {
        if (escapeAt >= start) start = handOut(input, start, escapeAt + 1, take, false)
        start = handOut(input, start, at + 1, take, true)
      }
    }
    if (start < end) handOut(input, start, end, take, false)
    if (end > 0) this.#last = input[end - 1]!
    if (end < input.length || this.pending.length > 0) this.pending = input.slice(end)
  }

  /** Can the `l` there be the end of `CSI ?2026l`, also with other modes or control characters in between? */
  #mayEndUpdate(input: Uint8Array, at: number): boolean {
    let digits = 0
    for (let back = at - 1; back >= 0; back--) {
      const byte = input[back]!
      if (!isInsideSequence(byte)) return digits === ALL_DIGITS
      if (byte === 0x32) digits |= 1
      else if (byte === 0x30) digits |= 2
      else if (byte === 0x36) digits |= 4
    }
    return isInsideSequence(this.#last) || digits === ALL_DIGITS
  }
}

/** 2, 0 and 6 were met. */
const ALL_DIGITS = 7

/** May stand between the introducer of a control sequence and its last byte. */
function isInsideSequence(byte: number): boolean {
  return byte < 0x40 || byte === DEL
}

/** Returns where the next piece starts. */
function handOut(input: Uint8Array, start: number, stop: number, take: OnPiece, endsQuestion: boolean): number {
  let from = start
  while (stop - from > PIECE_MAX) {
    const to = from + PIECE_MAX - unfinishedLength(input, from + PIECE_MAX)
    take(input.subarray(from, to), false)
    from = to
  }
  take(input.subarray(from, stop), endsQuestion)
  return stop
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
