import type { Position } from './graph.js'

type TokenKind = 'id' | 'string' | 'number' | 'duration' | 'symbol' | 'html' | 'end'

export interface Token {
  kind: TokenKind
  /** The content: strings without quotes and with escapes resolved, everything else as written. */
  text: string
  position: Position
  /** The position after the token. */
  end: Position
}

export interface LexProblem {
  message: string
  position: Position
}

const SYMBOLS = ['->', '--', '{', '}', '[', ']', '=', ';', ',', ':', '+', '.'] as const

/** Splits DOT text into tokens. Positions are exact, also after strings that span lines. */
export class Lexer {
  readonly #text: string
  readonly problems: LexProblem[] = []
  #at = 0
  #line = 1
  #column = 1

  constructor(text: string) {
    this.#text = text.startsWith('\ufeff') ? text.slice(1) : text
  }

  /** @param inValue an unquoted value may contain dots, colons, slashes and dashes. */
  next(inValue = false): Token {
    for (;;) {
      const token = this.#token(inValue)
      if (token) return token
    }
  }

  /** Null after an unexpected character. */
  #token(inValue: boolean): Token | null {
    this.#skipBlank()
    const position = this.#position()
    const character = this.#text[this.#at]
    if (character === undefined) return { kind: 'end', text: 'the end of the file', position, end: position }
    if (character === '"') return this.#string(position)
    if (character === '<') return this.#html(position)
    const number = this.#match(inValue ? VALUE_NUMBER : NUMBER)
    if (number !== null) {
      this.#skipPlain(number.length)
      return { kind: DURATION.test(number) ? 'duration' : 'number', text: number, position, end: this.#position() }
    }
    const word = this.#match(inValue ? BARE : WORD)
    if (word !== null) {
      this.#skipPlain(word.length)
      return { kind: 'id', text: word, position, end: this.#position() }
    }
    for (const symbol of SYMBOLS) {
      if (!this.#text.startsWith(symbol, this.#at)) continue
      this.#skipPlain(symbol.length)
      return { kind: 'symbol', text: symbol, position, end: this.#position() }
    }
    const [odd] = this.#text.slice(this.#at, this.#at + 2)
    this.#skip(odd!.length)
    if (this.problems.length < PROBLEMS_MAX)
      this.problems.push({ message: `unexpected character ${JSON.stringify(odd)}`, position })
    return null
  }

  #string(position: Position): Token {
    this.#skip(1)
    let text = ''
    for (;;) {
      const character = this.#text[this.#at]
      if (character === undefined) {
        this.problems.push({ message: 'this string is not closed', position })
        break
      }
      if (character === '"') {
        this.#skip(1)
        break
      }
      if (character === '\\') {
        const escaped = this.#text[this.#at + 1]
        if (escaped !== undefined) {
          text += ESCAPES[escaped] ?? `\\${escaped}`
          this.#skip(2)
          continue
        }
      }
      const plain = this.#match(PLAIN)
      if (plain !== null) {
        text += plain
        this.#skipPlain(plain.length)
        continue
      }
      text += character === '\r' && this.#text[this.#at + 1] === '\n' ? '' : character
      this.#skip(1)
    }
    return { kind: 'string', text, position, end: this.#position() }
  }

  /** An HTML label: not supported, but its end must be found. */
  #html(position: Position): Token {
    let depth = 0
    let text = ''
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at]!
      text += character
      if (character === '<') depth++
      if (character === '>') depth--
      this.#skip(1)
      if (depth === 0) break
    }
    return { kind: 'html', text, position, end: this.#position() }
  }

  #skipBlank(): void {
    for (;;) {
      const character = this.#text[this.#at]
      if (character === undefined) return
      if (character === ' ') this.#skipPlain(1)
      else if (/\s/.test(character)) this.#skip(1)
      else if (this.#text.startsWith('//', this.#at)) this.#skipLine()
      else if (character === '#' && this.#isLineStart()) this.#skipLine()
      else if (this.#text.startsWith('/*', this.#at)) {
        const close = this.#text.indexOf('*/', this.#at + 2)
        if (close < 0) this.problems.push({ message: 'this comment is not closed', position: this.#position() })
        this.#skip((close < 0 ? this.#text.length : close + 2) - this.#at)
      } else return
    }
  }

  #isLineStart(): boolean {
    const start = this.#text.lastIndexOf('\n', this.#at - 1) + 1
    return this.#text.slice(start, this.#at).trim() === ''
  }

  #skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at)
    this.#skip((end < 0 ? this.#text.length : end) - this.#at)
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#text)?.[0] ?? null
  }

  #skip(length: number): void {
    for (let count = 0; count < length; count++) {
      if (this.#text[this.#at] === '\n') {
        this.#line++
        this.#column = 1
      } else this.#column++
      this.#at++
    }
  }

  /** Skips text that contains no line break. */
  #skipPlain(length: number): void {
    this.#at += length
    this.#column += length
  }

  #position(): Position {
    return { line: this.#line, column: this.#column }
  }
}

/** A file of nothing but unexpected characters needs no complete list. */
const PROBLEMS_MAX = 100
/**
 * Inside a string: characters that are neither an escape nor its end, up to the end of the line.
 */
const PLAIN = /[^"\\\r\n]+/y
const WORD = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*/y
const BARE = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_.:/\u0080-\uffff-]*/y
const NUMBER = /-?(?:\d+\.\d*|\.\d+|\d+)(?:ms|s|m|h|d)?(?![A-Za-z0-9_])/y
/** A value may begin with a digit and still be a word: `5.4-spark`, `80x24`. */
const VALUE_NUMBER = /-?(?:\d+\.\d*|\.\d+|\d+)(?:ms|s|m|h|d)?(?![A-Za-z0-9_.:/-])/y
const DURATION = /(?:ms|s|m|h|d)$/
const ESCAPES: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', n: '\n', t: '\t' }
