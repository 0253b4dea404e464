import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JsonPart, JsonSplitter } from './json-splitter.js'

function split(text: string, size = text.length): JsonPart[] {
  const splitter = new JsonSplitter()
  const parts: JsonPart[] = []
  for (let at = 0; at < text.length; at += Math.max(1, size))
    parts.push(...splitter.push(text.slice(at, at + Math.max(1, size))))
  return [...parts, ...splitter.end()]
}

const object = (value: Record<string, unknown>): JsonPart => ({ kind: 'object', value })
const text = (line: string): JsonPart => ({ kind: 'text', text: line })
const malformed = (line: string): JsonPart => ({ kind: 'text', text: line, malformed: true })

describe('a stream of JSON and text', () => {
  test.each<[string, string, JsonPart[]]>([
    ['one object a line', '{"a":1}\n{"b":2}\n', [object({ a: 1 }), object({ b: 2 })]],
    ['an object over many lines', '{\n  "a": {\n    "b": 1\n  }\n}\n', [object({ a: { b: 1 } })]],
    [
      'text before, between and after',
      'hello\n{"a":1}\nthere\n{\n"b":2\n}\nbye',
      [text('hello'), object({ a: 1 }), text('there'), object({ b: 2 }), text('bye')],
    ],
    ['several objects on one line', '{"a":1}{"b":2} {"c":3}\n', [object({ a: 1 }), object({ b: 2 }), object({ c: 3 })]],
    ['an object and words on one line', '{"a":1} done\n', [object({ a: 1 }), text(' done')]],
    ['an object that ends where another begins', '{\n"a":1\n}{"b":2}\n', [object({ a: 1 }), object({ b: 2 })]],
    ['braces and quotes inside of strings', '{\n"a": "}{ \\" }",\n"b": 1}\n', [object({ a: '}{ " }', b: 1 })]],
    ['CRLF, BOM and NUL', '\ufeff{"a":1}\r\n\u0000{"b":2}\r\n', [object({ a: 1 }), object({ b: 2 })]],
    [
      'bare values as text',
      '"a"\n1\n[1]\ntrue\nnull\n',
      [text('"a"'), text('1'), text('[1]'), text('true'), text('null')],
    ],
    [
      'escape sequences in text and in strings',
      '\u001b[31mred\u001b[0m\n{"a":"\\u001b[31m"}\n',
      [text('red'), object({ a: '\u001b[31m' })],
    ],
    ['a last line without an end', '{"a":1}\n{"b":', [object({ a: 1 }), malformed('{"b":')]],
    ['a closed object that is not JSON', '{a: 1}\nnext\n', [malformed('{a: 1}'), text('next')]],
    [
      'a stray brace before other lines',
      'if (x) {\n{ oops\nhello\n{"a":1}\nworld\n',
      [text('if (x) {'), malformed('{ oops'), text('hello'), object({ a: 1 }), text('world')],
    ],
    ['a stray brace at the end', '{"a":1}\n{\nlast words\n', [object({ a: 1 }), malformed('{'), text('last words')]],
    ['two stray braces', '{\n{\ntext\n{"a":1}\n', [malformed('{'), malformed('{'), text('text'), object({ a: 1 })]],
  ])('is split into the expected frames: %s', (_, input, parts) => {
    for (const size of [input.length, 1, 2, 3, 7]) expect(split(input, size)).toEqual(parts)
  })

  test('gives the same frames however the bytes are split, also for one-line NDJSON after a preamble', () => {
    const pieces = fc.array(fc.constantFrom('{', '}', '"', '\n', '{"a":1}', 'x', ' ', '\\', '\r\n', ','), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 9 }), (parts, size) => {
        const input = parts.join('')
        expect(split(input, size)).toEqual(split(input))
      }),
    )
  })

  test('loses no line: every non-blank character is in a frame', () => {
    const pieces = fc.array(fc.constantFrom('{', '}', '"', '\n', '{"a":1}', 'word', ':', '\n'), { maxLength: 40 })
    const bare = (value: string) => value.replace(/\s/g, '')
    fc.assert(
      fc.property(pieces, parts => {
        const input = parts.join('')
        const out = split(input).map(found => (found.kind === 'object' ? JSON.stringify(found.value) : found.text))
        expect(bare(out.join(''))).toBe(bare(input))
      }),
    )
  })

  test('gives one frame per line for many stray braces', () => {
    const input = '{ no\n'.repeat(60_000)
    expect(split(input, 65_536)).toHaveLength(60_000)
  })

  test('is cut at a line that is too long, and continues with the next line', () => {
    const parts = split(`${'x'.repeat(9 * 1024 * 1024)}\n{"a":1}\n`, 1024 * 1024)
    expect(parts).toHaveLength(2)
    expect(parts[0]).toMatchObject({ kind: 'text', truncated: true })
    expect(parts[1]).toEqual(object({ a: 1 }))
  })

  test('continues after an open object was abandoned', () => {
    const splitter = new JsonSplitter()
    expect(splitter.push('{ stray\nwords\n')).toEqual([])
    expect(splitter.isOpen).toBe(true)
    expect(splitter.abandonOpen()).toEqual([malformed('{ stray'), text('words')])
    expect(splitter.isOpen).toBe(false)
    expect(splitter.push('{"a":1}\n')).toEqual([object({ a: 1 })])
  })
})
