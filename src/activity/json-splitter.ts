import { stripAnsi } from '../text/index.js'

/** A part of an agent's output: a JSON object, or a line of other text. */
export type JsonPart =
  | { kind: 'object'; value: Record<string, unknown> }
  | { kind: 'text'; text: string; malformed?: true; truncated?: true }

const BLOCK_MAX = 8 * 1024 * 1024
const LINE_MAX = 8 * 1024 * 1024
/**
 * Opening braces in a row that start no object; beyond this limit the rest is read line by line.
 */
const STRAY_MAX = 100

/**
 * Finds the JSON objects in a stream of text, one per line or indented over many lines, and leaves
 * everything else as text. No line is ever lost: text that does not parse is passed on unchanged. A
 * stray `{` neither swallows nor delays the text after it.
 */
export class JsonSplitter {
  #line = ''
  #isCutting = false
  /** Lines of an object that is not closed yet, the opening one first. */
  #block: string[] = []
  #blockSize = 0
  #scan: Scan = newScan()
  #strays = 0

  /** An object is open. After ten silent seconds the caller calls `abandonOpen`: it is text. */
  get isOpen(): boolean {
    return this.#block.length > 0
  }

  push(text: string): JsonPart[] {
    const parts: JsonPart[] = []
    let rest = text
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      this.#grow(rest.slice(0, end))
      rest = rest.slice(end + 1)
      parts.push(...this.#takeLine())
    }
    this.#grow(rest)
    return parts
  }

  /** Treats the open object as text: it will not be closed. */
  abandonOpen(): JsonPart[] {
    return this.isOpen ? this.#dropOpener() : []
  }

  end(): JsonPart[] {
    const parts = this.#line === '' ? [] : this.#takeLine()
    return [...parts, ...this.#abandonAll()]
  }

  #grow(text: string): void {
    if (this.#isCutting) return
    if (this.#line.length + text.length <= LINE_MAX) {
      this.#line += text
      return
    }
    this.#line += text.slice(0, LINE_MAX - this.#line.length)
    this.#isCutting = true
  }

  #takeLine(): JsonPart[] {
    const line = clean(this.#line)
    const isCut = this.#isCutting
    this.#line = ''
    this.#isCutting = false
    if (isCut) return [...this.#abandonAll(), { kind: 'text', text: stripAnsi(line), truncated: true }]
    return this.#read(line)
  }

  #abandonAll(): JsonPart[] {
    const parts: JsonPart[] = []
    while (this.isOpen) parts.push(...this.abandonOpen())
    return parts
  }

  #read(line: string): JsonPart[] {
    if (this.isOpen) {
      // A complete object on its own line is never part of another one: what was open was not an
      // object.
      if (line.startsWith('{')) {
        const value = parseObject(line)
        if (value) return [...this.#abandonAll(), { kind: 'object', value }]
      }
      return this.#continue(line)
    }
    const parts: JsonPart[] = []
    let rest = line
    for (;;) {
      if (!rest.trimStart().startsWith('{')) {
        if (rest.trim() !== '' || parts.length === 0) parts.push(...textPart(rest))
        return parts
      }
      const value = parseObject(rest)
      if (value) return [...parts, { kind: 'object', value }]
      const scan = newScan()
      const end = advance(scan, rest, 0)
      if (end < 0) {
        this.#block = [rest]
        this.#blockSize = rest.length
        this.#scan = scan
        return parts
      }
      parts.push(closed(rest.slice(0, end + 1)))
      rest = rest.slice(end + 1)
      if (rest.trim() === '') return parts
    }
  }

  #continue(line: string): JsonPart[] {
    const end = advance(this.#scan, line, 0)
    if (end < 0) {
      this.#block.push(line)
      this.#blockSize += line.length + 1
      return this.#blockSize > BLOCK_MAX ? this.abandonOpen() : []
    }
    const text = [...this.#block, line.slice(0, end + 1)].join('\n')
    this.#close()
    this.#strays = 0
    const rest = line.slice(end + 1)
    return [closed(text), ...(rest.trim() === '' ? [] : this.#read(rest))]
  }

  /** The opening line was text after all; the lines after it are read again. */
  #dropOpener(): JsonPart[] {
    const [opener, ...lines] = this.#block
    this.#close()
    const parts: JsonPart[] = [{ kind: 'text', text: stripAnsi(opener!), malformed: true }]
    if (++this.#strays > STRAY_MAX) {
      for (const line of lines) parts.push(...readAlone(line))
      return parts
    }
    for (const line of lines) parts.push(...this.#read(line))
    return parts
  }

  #close(): void {
    this.#block = []
    this.#blockSize = 0
    this.#scan = newScan()
  }
}

interface Scan {
  depth: number
  isString: boolean
  isEscaped: boolean
}

function newScan(): Scan {
  return { depth: 0, isString: false, isEscaped: false }
}

/** Counts braces outside strings; returns where the object closes in this line, or -1. */
function advance(scan: Scan, line: string, from: number): number {
  for (let at = from; at < line.length; at++) {
    const code = line.charCodeAt(at)
    if (scan.isString) {
      if (scan.isEscaped) scan.isEscaped = false
      else if (code === 92) scan.isEscaped = true
      else if (code === 34) scan.isString = false
    } else if (code === 34) scan.isString = true
    else if (code === 123) scan.depth++
    else if (code === 125 && --scan.depth === 0) return at
  }
  scan.isString = false
  scan.isEscaped = false
  return -1
}

function closed(text: string): JsonPart {
  const value = parseObject(text)
  return value ? { kind: 'object', value } : { kind: 'text', text: stripAnsi(text), malformed: true }
}

/** A line by itself, without its neighbours. */
function readAlone(line: string): JsonPart[] {
  const value = parseObject(line)
  return value ? [{ kind: 'object', value }] : textPart(line)
}

function textPart(text: string): JsonPart[] {
  return text === '' ? [] : [{ kind: 'text', text: stripAnsi(text) }]
}

function parseObject(text: string): Record<string, unknown> | null {
  const trimmed = text.trim()
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) return null
  try {
    const value: unknown = JSON.parse(trimmed)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

function clean(line: string): string {
  return line
    .replace(/\r$/, '')
    .replace(/\u0000/g, '')
    .replace(/^\ufeff/, '')
}
