import { expect, test } from 'vitest'
import { denyingOption, isDenialMeaning } from './denial.js'

const MEANINGS = ['allow-once', 'allow-session', 'allow-always', 'choice', 'text', 'deny-with-text', 'cancel', 'deny']
const optionsOf = (...meanings: string[]) => meanings.map(meaning => ({ key: meaning, meaning }))

test.each(MEANINGS)('isDenialMeaning accepts %s only if that meaning denies', meaning => {
  expect(isDenialMeaning(meaning)).toBe(['deny', 'deny-with-text', 'cancel'].includes(meaning))
})

test('a missing meaning is not a denial', () => {
  expect(isDenialMeaning(undefined)).toBe(false)
})

test('denyingOption finds the plainest option that denies, at any position', () => {
  expect(denyingOption(optionsOf(...MEANINGS))?.key).toBe('deny')
  expect(denyingOption(optionsOf('deny-with-text', 'allow-once', 'cancel'))?.key).toBe('cancel')
  expect(denyingOption(optionsOf('allow-once', 'deny-with-text'))?.key).toBe('deny-with-text')
  expect(denyingOption(optionsOf('allow-once', 'choice'))).toBeUndefined()
})
