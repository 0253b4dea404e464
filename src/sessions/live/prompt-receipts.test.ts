import { expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { PromptReceipts } from './prompt-receipts.js'

test('a reported prompt proves itself, and no other or earlier prompt', () => {
  const clock = new SimulatedClock()
  const signals = new PromptReceipts(clock)
  clock.advance(100)
  signals.addReceipt('hook', 'fix  the\ntest')
  expect(signals.proofOf('fix the test', 50, true)).toBe('hook')
  expect(signals.proofOf('fix the test', 150, true)).toBeNull()
  expect(signals.proofOf('another one', 50, false)).toBeNull()
})

test('work proves a prompt only if the agent was idle before', () => {
  const clock = new SimulatedClock()
  const signals = new PromptReceipts(clock)
  clock.advance(100)
  signals.addReceipt('osc7501', null)
  expect(signals.proofOf('anything', 50, false)).toBe('osc7501')
  expect(signals.proofOf('anything', 50, true)).toBeNull()
})

test('a part of a long prompt proves the prompt', () => {
  const signals = new PromptReceipts(new SimulatedClock())
  const text = 'please go through all the files and look for mistakes in them'
  signals.addReceipt('transcript', text.slice(0, 30))
  expect(signals.proofOf(text, 0, true)).toBe('transcript')
  signals.addReceipt('transcript', 'please')
  expect(new PromptReceipts(new SimulatedClock()).proofOf(text, 0, true)).toBeNull()
})
