/**
 * The position of each key of a TOML document. The parser returns values without positions, but an
 * error message needs file, line and column. This scanner reads only what it needs to find keys:
 * tables, arrays of tables, dotted and quoted keys, inline tables, and the ends of strings and
 * arrays. It expects a document that the parser has accepted and checks nothing; on anything else
 * it stops early.
 */
interface Position {
  line: number
  column: number
}

export interface TomlPositions {
  /** The position of a key, by its path; elements of arrays are named by their index. */
  of(path: readonly string[]): Position | undefined
  /** All paths, in the order of the document. */
  paths(): string[][]
}

export function scanTomlPositions(source: string): TomlPositions {
  const scanner = new Scanner(source)
  scanner.scanDocument()
  return {
    of: path => {
      const offset = scanner.offsets.get(JSON.stringify(path))
      return offset === undefined ? undefined : positionAt(source, offset)
    },
    paths: () => [...scanner.offsets.keys()].map(key => JSON.parse(key) as string[]),
  }
}

function positionAt(source: string, offset: number): Position {
  const before = source.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: offset - before.lastIndexOf('\n') }
}

interface Key {
  name: string
  offset: number
}

class Scanner {
  readonly offsets = new Map<string, number>()
  readonly #source: string
  #at = 0
  /** Number of elements of each array of tables so far, by path. */
  readonly #elements = new Map<string, number>()

  constructor(source: string) {
    this.#source = source
  }

  scanDocument(): void {
    let table: string[] = []
    for (;;) {
      this.#skip(/(?:[\s\uFEFF]|#[^\n]*)*/y)
      if (this.#at >= this.#source.length) return
      const start = this.#at
      if (this.#peek() === '[') table = this.#scanHeader()
      else this.#scanPair(table)
      if (this.#at === start) return
    }
  }

  /** `[a.b]` or `[[a.b]]`; returns the path of the table that the following keys belong to. */
  #scanHeader(): string[] {
    const isElement = this.#source.startsWith('[[', this.#at)
    this.#at += isElement ? 2 : 1
    const keys = this.#scanKey()
    this.#skip(/[ \t]*\]{1,2}/y)
    const path: string[] = []
    keys.forEach(({ name, offset }, index) => {
      path.push(name)
      this.#recordPosition(path, offset)
      const isNew = isElement && index === keys.length - 1
      const key = JSON.stringify(path)
      const count = (this.#elements.get(key) ?? 0) + (isNew ? 1 : 0)
      if (count === 0) return
      this.#elements.set(key, count)
      path.push(String(count - 1))
      this.#recordPosition(path, offset)
    })
    return path
  }

  #scanPair(table: readonly string[]): void {
    const keys = this.#scanKey()
    const path = [...table]
    keys.forEach(({ name, offset }, index) => {
      path.push(name)
      // The position of a key is its start; a table that a dotted key opens has the position of its
      // own name.
      this.#recordPosition(path, index === keys.length - 1 ? keys[0]!.offset : offset)
    })
    this.#skip(/[ \t]*=[ \t]*/y)
    this.#scanValue(path)
  }

  #scanKey(): Key[] {
    const keys: Key[] = []
    for (;;) {
      this.#skip(/[ \t]*/y)
      const offset = this.#at
      const text = this.#skip(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+/y)
      if (text === '') return keys
      keys.push({ name: keyName(text), offset })
      if (this.#skip(/[ \t]*\./y) === '') return keys
    }
  }

  #scanValue(path: readonly string[]): void {
    const first = this.#peek()
    if (first === '{') this.#scanInlineTable(path)
    else if (first === '[') this.#scanArray(path)
    else if (first === '"' || first === "'") this.#scanString()
    else this.#skip(/[^,\]}#\n]*/y)
  }

  #scanInlineTable(path: readonly string[]): void {
    this.#at += 1
    for (;;) {
      this.#skip(/(?:[\s,]|#[^\n]*)*/y)
      if (this.#at >= this.#source.length || this.#skip(/\}/y) !== '') return
      const start = this.#at
      this.#scanPair(path)
      if (this.#at === start) return
    }
  }

  #scanArray(path: readonly string[]): void {
    this.#at += 1
    for (let index = 0; ; index += 1) {
      this.#skip(/(?:[\s,]|#[^\n]*)*/y)
      if (this.#at >= this.#source.length || this.#skip(/\]/y) !== '') return
      const start = this.#at
      this.#recordPosition([...path, String(index)], start)
      this.#scanValue([...path, String(index)])
      if (this.#at === start) return
    }
  }

  /** Multi-line strings may contain quotes, one or two in a row, even right before their end. */
  #scanString(): void {
    this.#skip(
      /"""(?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*"{3,5}|'''(?:[^']|'{1,2}(?!'))*'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y,
    )
  }

  #recordPosition(path: readonly string[], offset: number): void {
    const key = JSON.stringify(path)
    if (!this.offsets.has(key)) this.offsets.set(key, offset)
  }

  #peek(): string | undefined {
    return this.#source[this.#at]
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const text = pattern.exec(this.#source)?.[0] ?? ''
    this.#at += text.length
    return text
  }
}

const ESCAPES: Record<string, string> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\u001b' }

function keyName(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1)
  if (!text.startsWith('"')) return text
  return text
    .slice(1, -1)
    .replaceAll(
      /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|(.))/g,
      (_, short, long, byte, sign: string) => {
        const digits = (short ?? long ?? byte) as string | undefined
        return digits === undefined ? (ESCAPES[sign] ?? sign) : String.fromCodePoint(Number.parseInt(digits, 16))
      },
    )
}
