import { unfinishedLength } from './byte-splitter.js'
import { GROUND_STATE, PIECE_MAX, type SequenceParams, type XtermCore } from './xterm-core.js'

/*
 * xterm's parser decodes every byte into a code point, looks each of them up in a table of states,
 * collects parameters digit by digit and finds the handler of a sequence in a sparse array. It then
 * announces cursor moves and rows to draw, for which nothing listens here. Nearly all output of
 * nearly all programs is text, line feeds and control sequences of digits and semicolons, and those
 * are recognised here in the bytes: each is one call of the handler that xterm would call.
 *
 * Everything else goes to xterm's parser: strings (OSC, DCS), other escape sequences, prefixes
 * except `?`, sub-parameters, controls inside a sequence, C1 controls, and all that a piece starts
 * while a sequence of an earlier piece is open. Where the end of such a sequence is certain, xterm
 * gets only its bytes; otherwise the rest of the piece.
 */

const BEL = 0x07
const ESC = 0x1b
const SPACE = 0x20
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const SEMICOLON = 0x3b
const QUESTION_MARK = 0x3f
const FIRST_FINAL = 0x40
const BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSING_BRACKET = 0x5d
const DEL = 0x7f
const C1_END = 0xa0

/** A longer number is left to xterm, which limits it. */
const DIGITS_MAX = 9

type Handlers = readonly ((params: SequenceParams) => unknown)[]

/** A piece holds at most this many code points. Shared: a piece is parsed within one call. */
const codePoints = new Uint32Array(PIECE_MAX)

export class ByteParser {
  readonly #input: XtermCore['_inputHandler']
  readonly #parser: XtermCore['_inputHandler']['_parser']
  /** The handlers of `CSI … x` and, 128 slots further, of `CSI ? … x`. */
  readonly #handlers: (Handlers | null | undefined)[] = new Array(256).fill(undefined)

  /** All hooks must be registered before the first piece. */
  constructor(core: XtermCore) {
    this.#input = core._inputHandler
    this.#parser = core._inputHandler._parser
  }

  /** The piece ends with a complete character. An exception of a handler ends it. */
  parse(piece: Uint8Array): void {
    const end = piece.length
    let at = 0
    while (at < end) {
      if (this.#parser.currentState !== GROUND_STATE) {
        this.#delegate(piece, at, end)
        return
      }
      const byte = piece[at]!
      if (byte >= SPACE && byte !== DEL) at = this.#print(piece, at)
      else if (byte === ESC) at = this.#escape(piece, at)
      else at = this.#control(piece, at)
    }
  }

  /** Text up to the next control character. */
  #print(piece: Uint8Array, start: number): number {
    const end = piece.length
    let at = start
    let count = 0
    for (let byte = piece[at]!; at < end; byte = piece[++at]!) {
      if (byte < SPACE || byte >= DEL) break
      codePoints[count++] = byte
    }
    if (at === end || piece[at]! <= DEL) {
      this.#parser._printHandler(codePoints, 0, count)
      return at
    }
    while (at < end && piece[at]! >= SPACE && piece[at] !== DEL) at++
    const text = piece.subarray(start, at)
    // An incomplete character would be joined with what follows the control character.
    if (unfinishedLength(text, text.length) > 0) return this.#delegate(piece, start, end)
    const length = this.#input._utf8Decoder.decode(text, codePoints)
    for (let index = 0; index < length; index++) {
      const codePoint = codePoints[index]!
      // A C1 control may introduce a sequence.
      if (codePoint >= DEL && codePoint < C1_END) {
        this.#parser.parse(codePoints, length)
        return at
      }
    }
    if (length > 0) this.#parser._printHandler(codePoints, 0, length)
    return at
  }

  #control(piece: Uint8Array, at: number): number {
    const handle = this.#parser._executeHandlers[piece[at]!]
    if (!handle) return this.#delegate(piece, at, at + 1)
    handle()
    this.#parser.precedingJoinState = 0
    return at + 1
  }

  #escape(piece: Uint8Array, start: number): number {
    const next = piece[start + 1]
    if (next === BRACKET) return this.#controlSequence(piece, start)
    if (next === CLOSING_BRACKET) return this.#delegate(piece, start, endOfString(piece, start + 2))
    // One character after ESC is a whole sequence, except where others follow.
    const isWhole = next !== undefined && next >= DIGIT_0 && next < DEL && !INTRODUCERS.has(next)
    return this.#delegate(piece, start, isWhole ? start + 2 : piece.length)
  }

  #controlSequence(piece: Uint8Array, start: number): number {
    const { _params: params } = this.#parser
    const end = piece.length
    let at = start + 2
    const isPrivate = piece[at] === QUESTION_MARK
    if (isPrivate) at++
    params.reset()
    let value = 0
    let digits = 0
    for (let byte = piece[at]; at < end; byte = piece[++at]) {
      if (byte! >= DIGIT_0 && byte! <= DIGIT_9 && digits < DIGITS_MAX) {
        value = value * 10 + byte! - DIGIT_0
        digits++
      } else if (byte === SEMICOLON) {
        params.addParam(value)
        value = 0
        digits = 0
      } else break
    }
    const final = piece[at]
    const handlers =
      final === undefined || final < FIRST_FINAL || final >= DEL ? null : this.#handlersOf(final, isPrivate)
    if (!handlers) return this.#delegate(piece, start, endOfSequence(piece, at))
    params.addParam(value)
    for (let index = handlers.length - 1; index >= 0; index--) if (handlers[index]!(params) === true) break
    this.#parser.precedingJoinState = 0
    return at + 1
  }

  /** Null if there is none: xterm then calls its fallback. */
  #handlersOf(final: number, isPrivate: boolean): Handlers | null {
    const slot = isPrivate ? final + 128 : final
    const known = this.#handlers[slot]
    if (known !== undefined) return known
    const found = this.#parser._csiHandlers[isPrivate ? (QUESTION_MARK << 8) | final : final]
    const handlers = found && found.length > 0 ? found : null
    this.#handlers[slot] = handlers
    return handlers
  }

  #delegate(piece: Uint8Array, start: number, end: number): number {
    const length = this.#input._utf8Decoder.decode(piece.subarray(start, end), codePoints)
    this.#parser.parse(codePoints, length)
    return end
  }
}

/** DCS, SOS, PM and APC strings, and single shifts: the next characters belong to them. */
const INTRODUCERS: ReadonlySet<number> = new Set([...'PX^_NO'].map(character => character.charCodeAt(0)))

/** After the final byte of a control sequence whose rest starts at `at`. */
function endOfSequence(piece: Uint8Array, at: number): number {
  let end = at
  while (end < piece.length && piece[end]! >= SPACE && piece[end]! < FIRST_FINAL) end++
  const isWhole = end < piece.length && piece[end]! >= FIRST_FINAL && piece[end]! < DEL
  return isWhole ? end + 1 : piece.length
}

/** After the terminator of an OSC string: BEL, or ESC and a backslash. */
function endOfString(piece: Uint8Array, start: number): number {
  for (let at = start; at < piece.length; at++) {
    if (piece[at] === BEL) return at + 1
    if (piece[at] === ESC) return piece[at + 1] === BACKSLASH ? at + 2 : piece.length
  }
  return piece.length
}
