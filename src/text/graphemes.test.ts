import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { graphemes } from './graphemes.js'

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
const parts = ['a', ' ', '漢', 'e\u0301', '👩‍💻', '🇫🇷', '❤️', '\u0301', '│', '\u200d', 'ｱﾞ', '한', '\ud83d']

describe('graphemes', () => {
  test('are the clusters of Intl.Segmenter for texts of any length', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 900 }), list => {
        const text = list.join('')
        expect([...graphemes(text)]).toEqual(Array.from(segmenter.segment(text), ({ segment }) => segment))
      }),
      { numRuns: 200, seed: 7 },
    )
  })

  test('may be longer than a piece of text', () => {
    const cluster = `e${'\u0301'.repeat(5000)}`
    expect([...graphemes(`${cluster}ab`)]).toEqual([cluster, 'a', 'b'])
  })
})
