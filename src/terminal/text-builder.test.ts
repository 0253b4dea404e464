import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextBuilder } from './text-builder.js'

test('the text contains all code points since the last clear', () => {
  const units = new TextBuilder(200)
  const text = (codePoints: readonly number[]) => {
    units.clear()
    for (const codePoint of codePoints) units.add(codePoint)
    return units.text()
  }
  for (const limit of [0x7f, 0xff, 0x100, 0xd7ff, 0x10ffff]) {
    const codePoints = fc.array(fc.integer({ min: 0, max: limit }), { maxLength: 50 })
    fc.assert(
      fc.property(codePoints, all => text(all) === String.fromCodePoint(...all)),
      { numRuns: 30 },
    )
  }
  expect(text([])).toBe('')
})
