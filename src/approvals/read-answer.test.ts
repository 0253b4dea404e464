import { describe, expect, test } from 'vitest'
import { SignalboxError } from '../errors/index.js'
import { readAnswer } from './read-answer.js'
import type { ApprovalRecord } from './record.js'
import { recordOf } from './testing/fixtures.js'

type Option = Partial<ApprovalRecord['request']['options'][number]> & { key: string }

function gate(options: Option[], fields: { isMulti?: boolean; freeText?: 'none' | 'optional' } = {}): ApprovalRecord {
  const base = recordOf()
  return {
    ...base,
    kind: 'review',
    source: { ...base.source, channel: 'run' },
    request: {
      ...base.request,
      freeText: fields.freeText ?? 'none',
      questions: [{ text: 'Which?', multi: fields.isMulti ?? false }],
      options: options.map(option => ({
        label: option.key,
        meaning: 'choice',
        from: 'signalbox',
        danger: null,
        ...option,
      })),
    },
  }
}

const PLAN = gate([
  { key: 'approve', meaning: 'allow-once' },
  { key: 'edit', meaning: 'text', takes: 'text' },
  { key: 'reject', meaning: 'deny-with-text', takes: 'reason' },
  { key: 'replace', meaning: 'text', takes: 'text' },
  { key: 'cancel', meaning: 'cancel' },
])
const ITEMS = gate([{ key: '1' }, { key: '2' }, { key: 'all' }, { key: 'none', isAlone: true }], { isMulti: true })
const OBJECTIONS = gate([{ key: 'more', takes: 'count' }, { key: 'accept' }, { key: 'stop', meaning: 'cancel' }])

describe('the gate of a run', () => {
  test.each([
    ['a text without an option', PLAN, { text: 'aprove' }],
    ['an unknown option', PLAN, { option: 'aprove' }],
    ['an edit without a text', PLAN, { option: 'edit' }],
    ['a blank edit', PLAN, { option: 'edit', text: ' \n' }],
    ['a rejection without a reason', PLAN, { option: 'reject' }],
    ['an approval with a text', PLAN, { option: 'approve', text: 'but' }],
    ['an empty choice', ITEMS, { choices: [] }],
    ['a number out of range', ITEMS, { choices: ['99'] }],
    ['zero', ITEMS, { choices: ['0', '1'] }],
    ['a choice twice', ITEMS, { choices: ['1', '1'] }],
    ['none together with an item', ITEMS, { choices: ['none', '1'] }],
    ['a text with choices', ITEMS, { choices: ['1'], text: 'and this' }],
    ['a word instead of items', ITEMS, { text: '1;2' }],
    ['a word instead of a number', OBJECTIONS, { option: 'more', text: 'a few' }],
    ['zero attempts', OBJECTIONS, { option: 'more', text: '0' }],
    ['several options where one is taken', OBJECTIONS, { choices: ['more', 'accept'] }],
  ])('refuses %s and lists what it accepts', (_, record, given) => {
    const answer = readAnswer(record, given) as SignalboxError
    expect(answer).toBeInstanceOf(SignalboxError)
    expect(answer.code).toBe('E_APPROVAL_OPTION')
    for (const { key } of record.request.options) expect(answer.next).toContain(key)
  })

  test.each([
    [PLAN, { option: 'edit', text: '# Plan' }, { option: 'edit', isDenial: false }],
    [PLAN, { option: 'reject', note: 'too long' }, { option: 'reject', isDenial: true }],
    [PLAN, { option: 'cancel' }, { option: 'cancel', isDenial: true }],
    [ITEMS, { choices: ['2', '1'] }, { choices: ['2', '1'] }],
    [ITEMS, { choices: ['none'] }, { choices: ['none'] }],
    [ITEMS, { option: 'all' }, { option: 'all' }],
    [OBJECTIONS, { option: 'more', text: '3' }, { option: 'more' }],
    [OBJECTIONS, { option: 'more' }, { option: 'more' }],
    [gate([{ key: 'A' }], { freeText: 'optional' }), { text: 'my own words' }, { option: '', meaning: 'text' }],
  ])('accepts what it offers (%#)', (record, given, expected) => {
    expect(readAnswer(record, given)).toMatchObject(expected)
  })
})

describe('the dialog of an agent', () => {
  const dialog = (questions: ApprovalRecord['request']['questions'], options: string[]): ApprovalRecord => {
    const made = gate(
      options.map(key => ({ key })),
      { freeText: 'optional' },
    )
    return { ...made, kind: 'question', source: recordOf().source, request: { ...made.request, questions } }
  }
  const ONE = dialog([], ['8080', '3000'])
  const FIELD = gate([{ key: '8080' }, { key: 'other', meaning: 'text' }])

  test.each([
    ['without a choice at a permission', recordOf(), { choices: [] }],
    ['without a choice where one is accepted', ONE, { choices: [] }],
    ['with two choices where one is accepted', ONE, { choices: ['8080', '3000'] }],
    ['with an option together with choices', ONE, { option: '8080', choices: ['3000'] }],
    ['of a text field without its text', FIELD, { option: 'other' }],
    ['with an empty text', ONE, { text: '' }],
    ['with a blank text', ONE, { text: ' \n\t' }],
  ])('refuses the answer %s', (_, record, given) => {
    expect(readAnswer(record, given)).toBeInstanceOf(SignalboxError)
  })

  test('accepts an empty choice where several may be chosen', () => {
    expect(readAnswer(dialog([{ text: 'Which?', multi: true }], ['a', 'b']), { choices: [] })).toMatchObject({
      choices: [],
    })
  })
})
