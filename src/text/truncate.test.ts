import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { displayWidth } from './display-width.js'
import { truncate } from './truncate.js'

describe('truncate', () => {
  test('keeps text that fits, and marks the missing part', () => {
    expect(truncate('hello', 5)).toBe('hello')
    expect(truncate('hello world', 8)).toBe('hello w…')
    expect(truncate('hello world', 8, { from: 'start' })).toBe('…o world')
    expect(truncate('hello world', 8, { from: 'middle' })).toBe('hell…rld')
    expect(truncate('漢字漢字', 4)).toBe('漢…')
    expect(truncate('abc', 0)).toBe('')
  })

  test('does not exceed the width or cut a cluster', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 30 }), (text, cells) => {
        for (const from of ['start', 'end', 'middle'] as const) {
          const cut = truncate(text, cells, { from })
          expect(displayWidth(cut)).toBeLessThanOrEqual(Math.max(0, cells))
        }
        if (displayWidth(text) > cells && cells > 0)
          expect(text.startsWith(truncate(text, cells).slice(0, -1))).toBe(true)
      }),
    )
  })
})
