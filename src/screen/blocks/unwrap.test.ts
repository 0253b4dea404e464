import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extractBlocks } from './extract.js'
import { renderMarkdown } from './render-markdown.js'
import { answer, drawRows, PACK, wrap } from './testing/drawn-rows.js'
import { isContinuation, separatorBetween } from './unwrap.js'

const word = fc.stringMatching(/^[a-z]{1,14}$/)
const paragraph = fc.array(word, { minLength: 1, maxLength: 60 }).map(words => words.join(' '))

describe('unwrapping', () => {
  it('restores any paragraph that a word wrapper broke, at every width', () => {
    fc.assert(
      fc.property(paragraph, fc.integer({ min: 40, max: 200 }), (text, cols) => {
        const blocks = extractBlocks(drawRows(answer(wrap(text, cols)), cols), {
          pack: PACK,
          cols,
          turn: 't',
          isOpen: false,
        })
        expect(renderMarkdown(blocks)).toBe(text)
      }),
      { numRuns: 150, seed: 6 },
    )
  })

  it('restores a word that is longer than a row', () => {
    const url = `https://example.com/${'abcdefghij/'.repeat(12)}end`
    for (const cols of [40, 60, 80]) {
      const text = `See ${url} for more`
      const blocks = extractBlocks(drawRows(answer(wrap(text, cols)), cols), {
        pack: PACK,
        cols,
        turn: 't',
        isOpen: false,
      })
      expect(renderMarkdown(blocks)).toBe(text)
    }
  })

  it('joins wide characters without a blank, and words with one', () => {
    const room = { right: 20, left: 2 }
    expect(separatorBetween({ width: 20, text: '漢字とかな交じりの文' }, { text: '章も' }, room)).toBe('')
    expect(separatorBetween({ width: 18, text: 'ends in a word' }, { text: 'then' }, room)).toBe(' ')
  })

  it('does not join a row that had room for the next word', () => {
    expect(isContinuation({ width: 10, text: 'short' }, { text: 'next' }, { right: 80, left: 2 })).toBe(false)
    expect(isContinuation({ width: 76, text: 'full' }, { text: 'next' }, { right: 80, left: 2 })).toBe(true)
  })
})
