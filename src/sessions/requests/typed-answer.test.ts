import { expect, test } from 'vitest'
import { menuOf } from '../../approvals/testing/fixtures.js'
import { typedAnswer } from './typed-answer.js'

const base = menuOf(['Yes', 'No'], { selected: 1 })
const MENU = { ...base, options: base.options.map((option, index) => ({ ...option, number: index + 1 })) }

test.each([
  ['Esc', '\u001b', true, { option: null, result: 'denied' }],
  ['the number of an option', '1', false, { option: 'Yes', result: 'allowed' }],
  ['Enter on the selection that was seen', '\r', true, { option: 'No', result: 'denied' }],
  ['Enter after keys whose effect was not seen', '\r', false, null],
  ['an arrow', '\u001b[B', true, null],
  ['several keys at once', '\u001b[A\r', true, null],
  ['another key', 'x', true, null],
])('typedAnswer interprets %s in a permission menu', (_, text, isSeen, answer) => {
  expect(typedAnswer(MENU, { text, isSeen })).toEqual(answer)
})

test('a question is declined by Esc, and never allowed', () => {
  const question = { ...MENU, kind: 'question' as const }
  expect(typedAnswer(question, { text: '\u001b', isSeen: true })).toEqual({ option: null, result: 'denied' })
  expect(typedAnswer(question, { text: '1', isSeen: true })).toBeNull()
})
