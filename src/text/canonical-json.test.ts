import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson } from './canonical-json.js'

test('the example of RFC 8785 is written as in the RFC', () => {
  const input = {
    numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/',
    literals: [null, true, false],
  }
  expect(canonicalJson(input)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  )
})

test('keys are sorted by UTF-16 units', () => {
  const input = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, ö: 7 }
  expect(Object.keys(JSON.parse(canonicalJson(input)) as object)).toEqual([
    '1',
    '\r',
    '\u0080',
    'ö',
    '\u20ac',
    '\ud83d\ude00',
    '\ufb33',
  ])
})

test('look-alikes stay different, because no text is normalised', () => {
  expect(canonicalJson('é')).not.toBe(canonicalJson('e\u0301'))
  expect(canonicalJson('A')).not.toBe(canonicalJson('a'))
})

test('undefined fields are dropped, large integers are kept, and minus zero becomes zero', () => {
  expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}')
  expect(canonicalJson([undefined, 1])).toBe('[null,1]')
  expect(canonicalJson({ n: 9007199254740993n })).toBe('{"n":9007199254740993}')
  expect(canonicalJson(-0)).toBe('0')
})

const cycle: unknown[] = []
cycle.push(cycle)

test.each([
  ['a lone surrogate', { a: ['\ud800'] }, 'a lone surrogate at a.0'],
  ['a lone surrogate in a key', { '\udc00': 1 }, 'a lone surrogate'],
  ['NaN', Number.NaN, 'the number NaN'],
  ['infinity', { x: Number.POSITIVE_INFINITY }, 'the number Infinity at x'],
  ['a function', () => 1, 'a value of type function'],
  ['undefined', undefined, 'a value of type undefined'],
  ['a date', new Date(0), 'an instance of a class'],
  ['a cycle', cycle, 'nested too deeply'],
])('%s is refused', (_, value, message) => {
  expect(() => canonicalJson(value)).toThrow(message)
})

const json = fc.jsonValue({ maxDepth: 5 }).map(value => JSON.parse(JSON.stringify(value)) as unknown)

test('parsing the canonical text returns the value', () => {
  fc.assert(
    fc.property(json, value => {
      expect(JSON.parse(canonicalJson(value))).toEqual(value)
    }),
    { numRuns: 500 },
  )
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  )
}

test('the order of keys in the input does not matter', () => {
  fc.assert(
    fc.property(json, value => {
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))
    }),
    { numRuns: 500 },
  )
})
