import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { displayWidth } from './display-width.js'
import { graphemes } from './graphemes.js'

const parts = [
  'a',
  '1',
  ' ',
  '漢',
  'e\u0301',
  '👩‍💻',
  '🇫🇷',
  '🇫',
  '❤️',
  '❤',
  '🏽',
  '\u0301',
  '\u1160',
  '\u200d',
  '\u200b',
  'ｱﾞ',
  '각',
  'क्त्र',
  '\t',
]

describe('display width', () => {
  test.each([
    [2, ['🚀', '✅', '☕', '漢', '👩‍💻', '🇫🇷', '❤️', '1️⃣', '👍🏽', '한', '각', 'ｱﾞ']],
    [
      1,
      ['●', '○', '◐', '⏺', '✳', '✻', '⚠', '⏸', '⏵', '▣', '△', '❯', '…', '─', 'ｱ', 'ﾞ', 'e\u0301', 'नि', 'a', '\u00ad'],
    ],
    [0, ['', '\u0301', '\u200b', '\u0007', '\u009b', `\u0301${'\u200d'.repeat(40)}`]],
  ])('is %i columns', (width, texts) => {
    for (const text of texts) expect(displayWidth(text), JSON.stringify(text)).toBe(width)
  })

  test('is the sum over a text', () => {
    expect(displayWidth('abc 漢字 👩‍💻!')).toBe(12)
    expect(displayWidth('●○◐✳⚠▣△❯…─◆◇◈◜▷▸┆◼◻✔')).toBe(20)
    expect(displayWidth('漢e\u0301'.repeat(100_000))).toBe(300_000)
  })

  test('is at most the sum of the widths of the clusters, so that a text cut between clusters fits', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 60 }), list => {
        const text = list.join('')
        const widths = Array.from(graphemes(text), displayWidth)
        expect(displayWidth(text)).toBeLessThanOrEqual(widths.reduce((sum, width) => sum + width, 0))
      }),
      { numRuns: 500 },
    )
  })
})
