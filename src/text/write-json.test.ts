import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeJson } from './write-json.js'

const LONG = 'x'.repeat(300)

test.each([
  ['long text', { a: LONG, b: [LONG, 1, null], c: { d: `${LONG}é😀` } }],
  ['text that must be escaped', { a: `${LONG}"\\\n\u0000`, [`${LONG}"`]: 1 }],
  ['half a surrogate pair', { a: `${LONG}\ud800`, b: `\udc00${LONG}` }],
  ['values that JSON omits', { a: LONG, b: undefined, c: () => 1, d: [undefined, Symbol('x')] }],
  ['dates, maps and values with toJSON', { a: LONG, b: new Date(0), c: new Map([[1, 2]]), d: { toJSON: () => 'own' } }],
  ['numbers JSON does not have', { a: LONG, b: Number.NaN, c: -0, d: [Number.POSITIVE_INFINITY] }],
  ['arrays with toJSON', { a: LONG, b: Object.assign([1], { toJSON: () => 7 }) }],
  ['objects without a prototype', Object.assign(Object.create(null) as object, { a: LONG })],
  ['sparse arrays', Object.assign(new Array(3), { 0: LONG })],
])('writing %s gives the text of JSON.stringify', (_, value) => {
  expect(writeJson(value)).toBe(JSON.stringify(value))
})

test('a cycle is refused as by JSON.stringify', () => {
  const ring: Record<string, unknown> = { a: LONG }
  ring.ring = ring
  expect(() => writeJson(ring)).toThrow(/circular/i)
})

test('any data is written as by JSON.stringify', () => {
  const string = fc.oneof(fc.string(), fc.string({ unit: 'binary', minLength: 250, maxLength: 600 }))
  const { tree } = fc.letrec(tie => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      string,
      fc.double(),
      fc.constantFrom(null, undefined, true),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(string, tie('tree'), { maxKeys: 4 }),
    ),
  }))
  const isSame = (value: unknown) => writeJson(value) === JSON.stringify(value)
  fc.assert(fc.property(tree, isSame), { numRuns: 300 })
})
