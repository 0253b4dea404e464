import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSame, lineDiff } from './line-diff'

describe('a line diff', () => {
  it('shows changes with two lines of context and counts the other equal lines', () => {
    const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const after = ['a', 'b', 'c', 'd', 'E', 'f', 'g', 'h', 'i']
    expect(lineDiff(before, after).map(({ sign, text }) => `${sign}${text}`)).toEqual([
      '@2 equal lines',
      ' c',
      ' d',
      '-e',
      '+E',
      ' f',
      ' g',
      ' h',
      '+i',
    ])
  })

  it('is empty for equal texts', () => {
    expect(lineDiff(['x', 'y'], ['x', 'y'])).toEqual([])
    expect(isSame(lineDiff([], []))).toBe(true)
    expect(isSame(lineDiff(['x'], ['y']))).toBe(false)
  })

  it('turns one text into the other', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 5 })
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDiff(before, after)
        if (isSame(lines)) return void expect(before).toEqual(after)
        const kept = (signs: string) => lines.filter(({ sign }) => signs.includes(sign)).map(line => line.text)
        const counted = lines.reduce(
          (sum, { sign, text: words }) => (sign === '@' ? sum + Number.parseInt(words, 10) : sum),
          0,
        )
        expect(kept(' -').length + counted).toBe(before.length)
        expect(kept(' +').length + counted).toBe(after.length)
        for (const line of kept('-')) expect(before).toContain(line)
      }),
    )
  })
})
