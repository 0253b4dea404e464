import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Row } from './frame.js'
import { createMask, rowChanges } from './row-changes.js'
import { hashText } from './row-hash.js'
import { matchSequences } from './sequence-match.js'

function rows(texts: string[], firstId = 0): Row[] {
  return texts.map((text, index) => ({
    id: firstId + index,
    text,
    width: text.length,
    wrapped: false,
    spans: [],
    hash: hashText(text),
    changedSeq: 1,
  }))
}

function summary(prev: Row[], next: Row[], volatile: RegExp[] = []) {
  const found = rowChanges(prev, next, createMask(volatile))
  const pairs = (list: { from: Row; to: Row }[]) => list.map(({ from, to }) => `${from.text}→${to.text}`)
  return {
    added: found.added.map(row => row.text),
    changed: pairs(found.changed),
    motion: pairs(found.motion),
    moved: pairs(found.moved),
    removed: found.removed.map(row => row.text),
  }
}

const NOTHING = { added: [], changed: [], motion: [], moved: [], removed: [] }

test('identical row objects at the ends do not change the result', () => {
  const texts = fc.array(fc.constantFrom('', 'a', 'b', 'c', 'd', 'e', 'f', 'g'), { minLength: 1, maxLength: 25 })
  fc.assert(
    fc.property(texts, fc.array(fc.tuple(fc.nat(24), fc.constantFrom('', 'a', 'c', 'x', 'y'))), (before, edits) => {
      const prev = rows(before)
      const next = [...prev]
      for (const [at, text] of edits) if (at < next.length) next[at] = rows([text], at)[0]!
      expect(summary(prev, next)).toEqual(summary(structuredClone(prev), structuredClone(next)))
    }),
  )
})

describe('the changes between two lists of rows', () => {
  test('are empty for equal rows', () => {
    expect(summary(rows(['a', '', 'b']), rows(['a', '', 'b']))).toEqual(NOTHING)
  })

  test('are only added and removed rows after scrolling', () => {
    const found = summary(rows(['a', 'b', 'c', 'd']), rows(['b', 'c', 'd', 'e'], 1))
    expect(found).toEqual({ ...NOTHING, added: ['e'], removed: ['a'] })
  })

  test('are found by id if scrolling replaced every row', () => {
    const found = summary(rows(['a', 'b', 'c']), rows(['x', 'y', 'z'], 1))
    expect(found).toEqual({ ...NOTHING, changed: ['b→x', 'c→y'], added: ['z'], removed: ['a'] })
  })

  test('are only moves below a row that a repaint inserts', () => {
    const found = summary(rows(['head', 'one', 'two', 'three', '']), rows(['head', 'new', 'one', 'two', 'three']))
    expect(found.added).toEqual(['new'])
    expect(found.moved).toEqual(['one→one', 'two→two', 'three→three'])
    expect(found.changed).toEqual([])
  })

  test('are compared by position if only two rows agree', () => {
    const found = summary(rows(['one', '}', '', '']), rows(['new', 'one', '}', '']))
    expect(found).toEqual({ ...NOTHING, changed: ['one→new', '}→one', '→}'] })
  })

  test('contain no moves if only equal rows confirm a shift', () => {
    const found = summary(rows(['}', '}', '}', 'x']), rows(['x', '}', '}', '}']))
    expect(found.moved).toEqual([])
  })

  test('are motion if they are in masked text', () => {
    const volatile = [/^[✳✻]/g, /\d+s/g]
    const found = summary(rows(['✳ Thinking 1s', 'text']), rows(['✻ Thinking 12s', 'text!']), volatile)
    expect(found).toEqual({ ...NOTHING, motion: ['✳ Thinking 1s→✻ Thinking 12s'], changed: ['text→text!'] })
  })

  test('have no rows in common between two buffers', () => {
    const found = summary(rows(['x', 'y']), rows(['z'], 2 ** 40))
    expect(found).toEqual({ ...NOTHING, added: ['z'], removed: ['x', 'y'] })
  })

  test('contain every row exactly once', () => {
    const texts = fc.array(fc.constantFrom('', 'a', 'b', 'c', 'd', 'e', 'f', 'g'), { maxLength: 25 })
    fc.assert(
      fc.property(texts, texts, fc.nat(5), (before, after, scrolled) => {
        const prev = rows(before)
        const next = rows(after, scrolled)
        const found = rowChanges(prev, next)
        const pairs = [...found.changed, ...found.motion, ...found.moved]
        const newIds = [...found.added, ...pairs.map(pair => pair.to)].map(row => row.id)
        expect(new Set(newIds).size).toBe(newIds.length)
        const same = next.filter(row => !newIds.includes(row.id))
        for (const row of same) expect(prev.find(old => old.id === row.id)?.text).toBe(row.text)
        expect(found.removed.length + pairs.length + same.length).toBe(prev.length)
        expect(found.added.length + pairs.length + same.length).toBe(next.length)
      }),
    )
  })
})

test('matches are in order and equal, and as many as possible if no row is unique', () => {
  const values = fc.array(fc.nat(3), { maxLength: 14 })
  fc.assert(
    fc.property(values, values, (a, b) => {
      const matches = matchSequences(a, b)
      for (const [i, j] of matches) expect(a[i]).toBe(b[j])
      for (let at = 1; at < matches.length; at++) {
        expect(matches[at]![0]).toBeGreaterThan(matches[at - 1]![0])
        expect(matches[at]![1]).toBeGreaterThan(matches[at - 1]![1])
      }
    }),
  )
  expect(matchSequences([1, 1, 2, 2, 1, 2], [2, 2, 1, 1, 2, 2])).toHaveLength(4)
})
