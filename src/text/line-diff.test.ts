import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DiffLine, lineDiff, shortenDiff } from './line-diff.js'

const MARK = { same: ' ', added: '+', removed: '-' }

function drawn(before: string, after: string): string[] {
  return lineDiff([...before], [...after]).map(({ kind, number, text }) => `${MARK[kind]}${number}${text}`)
}

describe('a line diff', () => {
  test('numbers removed lines by the old text and all others by the new one', () => {
    expect(drawn('abcd', 'axd')).toEqual([' 1a', '-2b', '-3c', '+2x', ' 3d'])
    expect(drawn('', 'a')).toEqual(['+1a'])
    expect(drawn('a', '')).toEqual(['-1a'])
    expect(drawn('ab', 'ab')).toEqual([' 1a', ' 2b'])
  })

  test('reproduces both texts', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 8 })
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDiff(before, after)
        const without = (kind: DiffLine['kind']) => lines.filter(line => line.kind !== kind)
        expect(without('added').map(line => line.text)).toEqual(before)
        expect(without('removed').map(line => line.text)).toEqual(after)
        for (const line of lines) expect((line.kind === 'removed' ? before : after)[line.number - 1]).toBe(line.text)
      }),
    )
  })

  test('keeps changes apart in very long texts', () => {
    const before = Array.from({ length: 6000 }, (_, index) => (index % 2 === 0 ? `line ${index}` : ''))
    const after = before.flatMap((line, index) => {
      if (index === 10) return ['changed at the start']
      return index === 3000 ? [] : index === 5990 ? [line, 'new at the end'] : [line]
    })
    const lines = lineDiff(before, after)
    expect(
      lines.flatMap(({ kind, number, text }) => (kind === 'same' ? [] : `${MARK[kind]}${number} ${text}`)),
    ).toEqual(['-11 line 10', '+11 changed at the start', '-3001 line 3000', '+5991 new at the end'])
    for (const { kind, number, text } of lines) expect((kind === 'removed' ? before : after)[number - 1]).toBe(text)
  })

  test('replaces the part that differs in very long texts without unique lines', () => {
    const before = ['same', ...Array.from({ length: 2500 }, (_, index) => `${index % 1250}`), 'end']
    const after = ['same', ...before.slice(1, -1).reverse(), 'end']
    const kinds = lineDiff(before, after).map(({ kind }) => kind)
    expect(kinds.filter(kind => kind === 'same')).toHaveLength(2)
    expect(kinds.lastIndexOf('removed')).toBeLessThan(kinds.indexOf('added'))
  })
})

test('a shortened diff keeps the lines near a change and counts the others', () => {
  const lines = lineDiff([...'abcdefghijkl'], [...'abcdeXghijkl'])
  expect(shortenDiff(lines, 2).map(line => (line.kind === 'gap' ? line.count : MARK[line.kind] + line.text))).toEqual([
    3,
    ' d',
    ' e',
    '-f',
    '+X',
    ' g',
    ' h',
    4,
  ])
  expect(shortenDiff(lineDiff(['a'], ['a']), 2)).toEqual([{ kind: 'gap', count: 1 }])
  expect(shortenDiff([], 2)).toEqual([])
})
