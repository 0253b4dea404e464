import { expect, test } from 'vitest'
import { recordOf } from '../../approvals/testing/fixtures.js'
import { checkReason } from './deciding-word.js'

const record = recordOf()
const isReason = (text: string) => {
  try {
    checkReason(record, text)
    return true
  } catch {
    return false
  }
}

test.each([
  '',
  '  ',
  'yes',
  'Ye',
  'OK!',
  'maybe',
  'later',
  '1',
  '1, 2',
  '👍',
  'approve it',
  'go ahead',
  'Yes, but only once',
  'ok but use tabs',
])('a reply of "%s" is not a reason', text => expect(isReason(text)).toBe(false))

test.each([
  'not today',
  'Use tabs, please.',
  'allow empty names in the list, too',
  'go back and write the test first',
  'сначала тесты',
  '先写测试再发布',
])('a reply of "%s" is a reason', text => expect(isReason(text)).toBe(true))

test('the name of an option is not a reason', () => {
  for (const { label } of record.request.options) expect(isReason(label.toUpperCase())).toBe(false)
})
