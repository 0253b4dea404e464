import { expect, test } from 'vitest'
import { costText, isUnpriced, knownCost, unpricedText } from './cost-words.js'

test('a cost says that a part of it, or all of it, is unknown', () => {
  expect(costText({ costUsd: 1.2 })).toBe('$1.20')
  expect(costText({ costUsd: 1.2, isPartial: true })).toBe('at least $1.20')
  expect(costText({})).toBe('cost unknown')
  expect(costText(knownCost(1.2, { sessions: 2, runs: 0 }))).toBe('at least $1.20')
  expect(costText(knownCost(0, { sessions: 2, runs: 0 }))).toBe('cost unknown')
  expect(costText(knownCost(0, { sessions: 0, runs: 0 }))).toBe('$0.00')
})

test('what has no known price is counted in words', () => {
  expect(unpricedText({ sessions: 0, runs: 0 })).toBeNull()
  expect(unpricedText({ sessions: 1, runs: 0 })).toBe('1 session without a known price')
  expect(unpricedText({ sessions: 2, runs: 1 })).toBe('2 sessions and 1 run without a known price')
})

test('tokens without a cost have no known price; no tokens, or a cost of nothing, are no gap', () => {
  expect(isUnpriced({ input: 1, output: 0 })).toBe(true)
  expect(isUnpriced({ input: 1, output: 0, costUsd: null })).toBe(true)
  expect(isUnpriced({ input: 1, output: 0, costUsd: 0 })).toBe(false)
  expect(isUnpriced({ input: 0, output: 0 })).toBe(false)
  expect(isUnpriced({ input: 1, output: 0, costUsd: 1, isPartial: true })).toBe(true)
})
