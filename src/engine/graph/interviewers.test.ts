import { describe, expect, test } from 'vitest'
import { type InterviewAnswer, type InterviewQuestion, parseInterviewAnswer } from './interviewers.js'

const question = (extra: Partial<InterviewQuestion> = {}): InterviewQuestion => ({
  id: 'apr_1',
  text: 'Sure?',
  type: 'MULTIPLE_CHOICE',
  options: [
    { key: 'Y', label: '[Y] Yes' },
    { key: 'N', label: '[N] No' },
  ],
  takesText: false,
  stage: 'gate',
  fingerprint: '0',
  ...extra,
})

describe('readAnswer', () => {
  test.each<[string, Partial<InterviewQuestion>, InterviewAnswer | null]>([
    ['y', {}, { option: 'Y' }],
    ['no', {}, { option: 'N' }],
    ['2', {}, { option: 'N' }],
    ['perhaps', {}, null],
    ['', {}, null],
    ['perhaps', { takesText: true }, { text: 'perhaps' }],
    ['y, no', { type: 'MULTI_SELECT' }, { choices: ['Y', 'N'] }],
    ['y, maybe', { type: 'MULTI_SELECT' }, null],
  ])('reads %j as an answer or refuses it', (typed, extra, answer) => {
    expect(parseInterviewAnswer(question(extra), typed)).toEqual(answer)
  })
})
