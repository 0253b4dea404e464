import { PIECE_MAX } from './xterm-core.js'

/*
 * Splits incoming bytes into pieces for the parser, so that the parser's behaviour never depends on
 * how the operating system split the program's output, and so that a hook knows at which byte it
 * runs:
 *
 * 1. No piece ends inside a UTF-8 character. xterm keeps unfinished characters itself, but wrongly:
 *    it takes a continuation byte 0x80, as in `…` (E2 80 A6), for a missing one. An unfinished
 *    character is kept for the next call.
 * 2. A piece ends after every byte that could end a synchronized update: an `l` after parameters
 *    that could contain 2026. When the hook for `CSI ?2026l` runs, nothing after it has been
 *    parsed, and the caller knows that later bytes belong to the next frame.
 * 3. A piece ends after a BEL that could end a query, and starts after the last ESC before it. So
 *    an OSC hook knows the terminator for its reply: BEL if the piece ends that way, else ST.
 *
 * Every piece costs a call of the parser, so bytes that are clearly neither (hiding the cursor, a
 * window title) do not end a piece. Bytes of earlier calls are not examined again: there a
 * superfluous split may happen, which changes nothing.
 */

const BEL = 0x07
const ESC = 0x1b
const QUESTION_MARK = 0x3f
const SMALL_L = 0x6c
const DEL = 0x7f

/** Bytes that can matter for a split; all others are skipped. */
const SPLIT_BYTES = new Uint8Array(256)
for (const byte of [BEL, ESC, QUESTION_MARK, SMALL_L]) SPLIT_BYTES[byte] = 1

/** Receives a piece; `endsQuery`: its last byte is a BEL that may have ended a query. */
export type OnPiece = (piece: Uint8Array, endsQuery: boolean) => void

export class ByteSplitter {
  /** The bytes of an unfinished character. */
  pending: Uint8Array
  /** The last byte of the last piece, for rule 2 across calls. */
  #last: number

  constructor(held: Uint8Array = new Uint8Array(0), lastByte = 0) {
    this.pending = held
    this.#last = lastByte
  }

  /** Passes `bytes` on in pieces. Afterwards `pending` has the bytes that are in none of them. */
  split(bytes: Uint8Array, onPiece: OnPiece): void {
    const input = this.pending.length > 0 ? concat(this.pending, bytes) : plainView(bytes)
    const end = input.length - unfinishedLength(input, input.length)
    let start = 0
    let escapeAt = -1
    let hasQuery = false
    for (let at = 0; at < end; at++) {
      const byte = input[at]!
      if (SPLIT_BYTES[byte] === 0) continue
      if (byte === ESC) {
        escapeAt = at
        hasQuery = false
      } else if (byte === QUESTION_MARK) {
        hasQuery = true
      } else if (byte === SMALL_L) {
        if (this.#mayEndUpdate(input, at)) start = emitPiece(input, start, at + 1, onPiece, false)
      } else if (escapeAt < start || hasQuery) {
        if (escapeAt >= start) start = emitPiece(input, start, escapeAt + 1, onPiece, false)
        start = emitPiece(input, start, at + 1, onPiece, true)
      }
    }
    if (start < end) emitPiece(input, start, end, onPiece, false)
    if (end > 0) this.#last = input[end - 1]!
    if (end < input.length || this.pending.length > 0) this.pending = input.slice(end)
  }

  /** Whether this `l` can end `CSI ?2026l`, also with other modes or controls between. */
  #mayEndUpdate(input: Uint8Array, at: number): boolean {
    let digits = 0
    for (let back = at - 1; back >= 0; back--) {
      const byte = input[back]!
      if (!isInsideSequence(byte)) return digits === ALL_DIGITS_SEEN
      if (byte === 0x32) digits |= 1
      else if (byte === 0x30) digits |= 2
      else if (byte === 0x36) digits |= 4
    }
    return isInsideSequence(this.#last) || digits === ALL_DIGITS_SEEN
  }
}

/** 2, 0 and 6 have occurred. */
const ALL_DIGITS_SEEN = 7

/** May occur between the introducer of a control sequence and its last byte. */
function isInsideSequence(byte: number): boolean {
  return byte < 0x40 || byte === DEL
}

function emitPiece(input: Uint8Array, start: number, stop: number, onPiece: OnPiece, endsQuery: boolean): number {
  let from = start
  while (stop - from > PIECE_MAX) {
    const to = from + PIECE_MAX - unfinishedLength(input, from + PIECE_MAX)
    onPiece(input.subarray(from, to), false)
    from = to
  }
  onPiece(input.subarray(from, stop), endsQuery)
  return stop
}

/** How many bytes before `end` belong to an incomplete character. */
export function unfinishedLength(bytes: Uint8Array, end: number): number {
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

/**
 * A view of plain memory: a Buffer's `subarray` is slow, and its `slice` does not copy, so that
 * pending bytes would change with the caller's memory.
 */
function plainView(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

export function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length)
  joined.set(a)
  joined.set(b, a.length)
  return joined
}
