import { describe, expect, test } from 'vitest'
import { type Answer, type Question, readAnswer } from './interviewers.js'
import {
  AutoApproveInterviewer,
  askAll,
  CallbackInterviewer,
  QueueInterviewer,
  RecordingInterviewer,
} from './testing/interviewers.js'

const question = (extra: Partial<Question> = {}): Question => ({
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

describe('an interviewer', () => {
  test('that auto-approves takes the first option, or answers yes', async () => {
    const auto = new AutoApproveInterviewer()
    expect(await auto.ask(question())).toEqual({ option: 'Y' })
    expect(await auto.ask(question({ type: 'MULTI_SELECT' }))).toEqual({ choices: ['Y'] })
    expect(await auto.ask(question({ type: 'FREEFORM', options: [] }))).toEqual({ text: 'yes' })
  })

  test('with a queue answers in order, then skips', async () => {
    const queue = new QueueInterviewer([{ option: 'N' }])
    expect([await queue.ask(), await queue.ask()]).toEqual([{ option: 'N' }, { skipped: true }])
  })

  test('with a callback gets one question after the other, and a recording keeps them', async () => {
    const recording = new RecordingInterviewer(new CallbackInterviewer(({ id }) => ({ text: id })))
    const answers = await askAll(recording, [question({ id: 'a' }), question({ id: 'b' })])
    expect(answers).toEqual([{ text: 'a' }, { text: 'b' }])
    expect(recording.recorded.map(entry => entry.question.id)).toEqual(['a', 'b'])
  })
})

describe('readAnswer', () => {
  test.each<[string, Partial<Question>, Answer | null]>([
    ['y', {}, { option: 'Y' }],
    ['no', {}, { option: 'N' }],
    ['2', {}, { option: 'N' }],
    ['perhaps', {}, null],
    ['', {}, null],
    ['perhaps', { takesText: true }, { text: 'perhaps' }],
    ['y, no', { type: 'MULTI_SELECT' }, { choices: ['Y', 'N'] }],
    ['y, maybe', { type: 'MULTI_SELECT' }, null],
  ])('reads %j as an answer or refuses it', (typed, extra, answer) => {
    expect(readAnswer(question(extra), typed)).toEqual(answer)
  })
})
