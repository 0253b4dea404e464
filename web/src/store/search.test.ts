import { expect, test } from 'vitest'
import { markWords } from './search'

const found = (text: string, words: string) =>
  markWords(text, words)
    .filter(({ isFound }) => isFound)
    .map(part => part.text)

test('the words of a search are highlighted in a passage, as whole words and as beginnings', () => {
  expect(found('The discount is wrong: DISCOUNTS are whole cents.', 'discount')).toEqual(['discount', 'DISCOUNTS'])
  expect(found('npm test and npm run test', '"npm run" te*')).toEqual(['test', 'npm run', 'test'])
  expect(found('a (b) c', '(b')).toEqual(['(b'])
  expect(markWords('nothing', '***')).toEqual([{ text: 'nothing', isFound: false }])
  expect(
    markWords('a discount b', 'discount')
      .map(({ text }) => text)
      .join(''),
  ).toBe('a discount b')
})
