import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extractBlocks } from './extract.js'
import { answer, drawRows, PACK, wrap } from './testing/drawn-rows.js'
import { blockWords } from './words.js'

const BLUE = '\u001b[34m'
const GREEN = '\u001b[32m'
const OFF = '\u001b[0m'

const sentence = fc
  .array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 30 })
  .map(words => words.join(' '))
const piece = fc.oneof(
  sentence.map(text => wrap(text, 60)),
  sentence.map(text => [`- ${text.slice(0, 40).trim()}`, `- ${text.slice(0, 20).trim()}`]),
  sentence.map(text => [
    `${BLUE}let${OFF} ${text.split(' ')[0]} = ${GREEN}1${OFF}`,
    `${BLUE}let${OFF} b = ${GREEN}2${OFF}`,
  ]),
  fc.constant(['┌─────┬─────┐', '│ a   │ b   │', '├─────┼─────┤', '│ c   │ d   │', '└─────┴─────┘']),
)

describe('an answer that is still growing', () => {
  it('shows no row twice or out of order, whatever is drawn so far', () => {
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), pieces => {
        const rows = drawRows(answer(pieces.flatMap(lines => [...lines, ''])), 60)
        const read = (count: number, isOpen: boolean) =>
          extractBlocks(rows.slice(0, count), { pack: PACK, cols: 60, turn: 't', isOpen }).flatMap(blockWords)
        const whole = read(rows.length, false)
        for (let count = 1; count <= rows.length; count++) {
          const words = read(count, true).filter(isWord)
          expect(words).toEqual(whole.filter(isWord).slice(0, words.length))
        }
      }),
      { numRuns: 60, seed: 9 },
    )
  })

  it('keeps the ids of blocks from their first appearance to the end', () => {
    const rows = drawRows(answer(['One.', '', 'Two.', '', 'Three.']))
    const ids = (count: number) =>
      extractBlocks(rows.slice(0, count), { pack: PACK, cols: 80, turn: 't', isOpen: count < rows.length }).map(
        block => block.id,
      )
    for (let count = 1; count <= rows.length; count++)
      expect(ids(rows.length).slice(0, ids(count).length)).toEqual(ids(count))
  })
})

/** The frame of an incomplete table, and a mark without its text, are not words. */
function isWord(text: string): boolean {
  return /[\p{L}\d]/u.test(text)
}
