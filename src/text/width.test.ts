import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { displayWidth, graphemes } from './width.js'

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
const parts = ['a', ' ', '漢', 'e\u0301', '👩‍💻', '🇫🇷', '❤️', '\u0301', '│', '\u200d', 'ｱﾞ', '한', '\ud83d']

describe('graphemes', () => {
  it('are those of the engine, however long the text is', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 900 }), list => {
        const text = list.join('')
        expect([...graphemes(text)]).toEqual(Array.from(segmenter.segment(text), ({ segment }) => segment))
      }),
      { numRuns: 200, seed: 7 },
    )
  })

  it('may be longer than a piece', () => {
    const cluster = `e${'\u0301'.repeat(5000)}`
    expect([...graphemes(`${cluster}ab`)]).toEqual([cluster, 'a', 'b'])
  })

  it('are counted in time that grows with the text', () => {
    const began = performance.now()
    expect(displayWidth('漢e\u0301'.repeat(100_000))).toBe(300_000)
    expect(performance.now() - began).toBeLessThan(5000)
  })
})
