import { describe, expect, test } from 'vitest'
import { parseDuration, parseMoment } from '../parse-options.js'
import type { ApprovalInfo, OptionInfo } from './approval-info.js'
import { findOption, plainOption } from './pick-option.js'

const option = (label: string, meaning: OptionInfo['meaning'] = 'choice') => ({ key: label, label, meaning })
const OPTIONS = [
  option('Yes', 'allow-once'),
  option('Yes, and do not ask again', 'allow-session'),
  option('No', 'deny'),
  option('No, and tell the agent', 'deny-with-text'),
]
const approval = (options: typeof OPTIONS) => ({ request: { options } }) as ApprovalInfo

describe('an option named by a person', () => {
  test('is the one with that label, although others begin so', () => {
    expect(findOption(OPTIONS, 'Yes').label).toBe('Yes')
    expect(findOption(OPTIONS, 'no').label).toBe('No')
  })

  test('is found by a beginning that only one has, blanks and case aside', () => {
    expect(findOption(OPTIONS, 'yes,  AND').label).toBe('Yes, and do not ask again')
    expect(findOption(OPTIONS, 'No, a').label).toBe('No, and tell the agent')
  })

  test('is refused when several could be meant, or none', () => {
    expect(() => findOption(OPTIONS, 'Ye')).toThrow('could be: Yes · Yes, and do not ask again')
    expect(() => findOption(OPTIONS, 'Maybe')).toThrow('no option "Maybe"')
    expect(() => findOption(OPTIONS, '')).toThrow('no option ""')
    expect(() => findOption([option('A'), option('A')], 'A')).toThrow('could be')
  })
})

describe('the plain option', () => {
  test('is allow once, never more; the plain no before others', () => {
    expect(plainOption(approval(OPTIONS), 'allow').label).toBe('Yes')
    expect(plainOption(approval(OPTIONS), 'deny').label).toBe('No')
    expect(plainOption(approval(OPTIONS.slice(3)), 'deny').label).toBe('No, and tell the agent')
  })

  test('is refused where none is plain', () => {
    expect(() => plainOption(approval(OPTIONS.slice(1)), 'allow')).toThrow('plainly means allow')
    expect(() => plainOption(approval([option('Yes', 'allow-once'), option('Do', 'allow-once')]), 'allow')).toThrow(
      'plainly',
    )
    expect(() => plainOption(approval(OPTIONS.slice(0, 1)), 'deny')).toThrow('plainly means deny')
  })
})

describe('times', () => {
  test('durations and moments', () => {
    expect(parseDuration('--for', '90s')).toBe(90_000)
    expect(parseDuration('--for', '1.5h')).toBe(5_400_000)
    expect(parseMoment('--since', '2d', 1_000_000_000)).toBe(1_000_000_000 - 172_800_000)
    expect(parseMoment('--since', '2026-03-01', 0)).toBe(Date.parse('2026-03-01'))
  })

  test.each(['', '30', 'm', '-5m', '0m', 'soon'])('%j is none', text => {
    expect(() => parseDuration('--for', text)).toThrow('--for takes a duration')
  })
})
