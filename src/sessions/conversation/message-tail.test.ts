import { describe, expect, it } from 'vitest'
import { endsWith, findTail, tailOf } from './message-tail.js'

const rows = (...texts: string[]) => texts.map((text, id) => ({ id, text }))
const TAIL = tailOf(rows('◆ I look at the sources first.', '', '◆ Then I run the tests.'))

describe('the tail of a message', () => {
  it('is found after rows above it were folded', () => {
    expect(findTail(rows('◆ Then I run the tests.', '', '◇ Bash npm test'), TAIL)).toBe(0)
  })

  it('is found after a new width has wrapped the rows differently', () => {
    const narrow = rows('◆ I look at the', '  sources first.', '', '◆ Then I run', '  the tests.', '◇ Bash npm test')
    expect(findTail(narrow, TAIL)).toBe(4)
  })

  it('is found at the last of several equal places', () => {
    const doubled = rows(
      '◆ Then I run the tests.',
      '◆ I look at the sources first.',
      '◆ Then I run the tests.',
      '◆ new',
    )
    expect(findTail(doubled, TAIL)).toBe(2)
  })

  it('is found at the row before if the last row was removed', () => {
    expect(findTail(rows('◆ I look at the sources first.', '', '◆ All is well.'), TAIL)).toBe(0)
  })

  it('is found while the mark of the row blinks', () => {
    const tail = tailOf(rows('● I look at the sources.', '● Then I run the tests.'))
    expect(findTail(rows('  I look at the sources.', '  Then I run the tests.', '● All is well.'), tail)).toBe(1)
  })

  it('is not found if none of its rows is left', () => {
    expect(findTail(rows('◆ All is well.'), TAIL)).toBe(null)
  })

  it('is unchanged as long as the same row is last', () => {
    expect(endsWith(rows('◆ Then I run the tests.', ''), TAIL)).toBe(true)
    expect(endsWith(rows('◆ Then I run'), TAIL)).toBe(false)
  })
})
