import { describe, expect, test } from 'vitest'
import { parseDuration, parseMoment } from '../parse-options.js'
import { findOption, plainOption } from './pick-option.js'

const option = (label: string, meaning = 'choice') => ({ key: label, label, meaning })
const OPTIONS = [
  option('Yes', 'allow-once'),
  option('Yes, and do not ask again', 'allow-session'),
  option('No', 'deny'),
  option('No, and tell the agent', 'deny-with-text'),
]

describe('the option that a person names', () => {
  test('is the one with that label, although other labels start with it', () => {
    expect(findOption(OPTIONS, 'Yes').label).toBe('Yes')
    expect(findOption(OPTIONS, 'no').label).toBe('No')
  })

  test('is found by a unique beginning, without regard to blanks and case', () => {
    expect(findOption(OPTIONS, 'yes,  AND').label).toBe('Yes, and do not ask again')
    expect(findOption(OPTIONS, 'No, a').label).toBe('No, and tell the agent')
  })

  test('is not found by the beginning of a number', () => {
    const ports = [option('8080 (default)'), option('3000')]
    expect(() => findOption(ports, '80')).toThrow('no option "80"')
    expect(findOption(ports, '8080').label).toBe('8080 (default)')
  })

  test('is found by the label of the agent’s menu, so that a shared beginning is ambiguous', () => {
    const joined = [
      { ...option('Allow once', 'allow-once'), menuLabel: 'Yes, this once' },
      { ...option('Deny', 'deny'), menuLabel: 'No' },
      option('Yes, and do not ask again', 'allow-always'),
    ]
    expect(() => findOption(joined, 'yes')).toThrow(
      'matches several options: Yes, this once · Yes, and do not ask again',
    )
    expect(findOption(joined, 'yes, this')).toMatchObject({ key: 'Allow once', label: 'Yes, this once' })
    expect(findOption(joined, 'allow').label).toBe('Allow once')
    expect(findOption(joined, 'n').key).toBe('Deny')
  })

  test('is refused if several options match, or none', () => {
    expect(() => findOption(OPTIONS, 'Ye')).toThrow('matches several options: Yes · Yes, and do not ask again')
    expect(() => findOption(OPTIONS, 'Maybe')).toThrow('no option "Maybe"')
    expect(() => findOption(OPTIONS, '')).toThrow('no option ""')
    expect(() => findOption([option('A'), option('A')], 'A')).toThrow('matches several options')
  })
})

describe('the plain option', () => {
  test('allows once, or is the plainest one that denies', () => {
    expect(plainOption(OPTIONS, 'allow').label).toBe('Yes')
    expect(plainOption(OPTIONS, 'deny').label).toBe('No')
    expect(plainOption(OPTIONS.slice(3), 'deny').label).toBe('No, and tell the agent')
  })

  test('is the only one with that name in the gate of a graph', () => {
    const gate = (...labels: string[]) => labels.map(label => ({ ...option(label, 'choice'), from: 'signalbox' }))
    expect(plainOption(gate('[A] Approve', '[R] Revise'), 'allow').label).toBe('[A] Approve')
    expect(plainOption(gate('Approve', 'Revise'), 'deny').label).toBe('Revise')
    expect(() => plainOption(gate('Reject', 'Revise'), 'deny')).toThrow('no plain option to deny')
    expect(() => plainOption([option('Approve', 'choice')], 'allow')).toThrow('no plain option to allow')
  })

  test('is refused where it is missing', () => {
    expect(() => plainOption(OPTIONS.slice(1), 'allow')).toThrow('no plain option to allow')
    expect(() => plainOption([option('Yes', 'allow-once'), option('Do', 'allow-once')], 'allow')).toThrow(
      'no plain option',
    )
    expect(() => plainOption(OPTIONS.slice(0, 1), 'deny')).toThrow('no plain option to deny')
  })
})

describe('times on the command line', () => {
  test('are parsed as durations and moments', () => {
    expect(parseDuration('--for', '90s')).toBe(90_000)
    expect(parseDuration('--for', '1.5h')).toBe(5_400_000)
    expect(parseMoment('--since', '2d', 1_000_000_000)).toBe(1_000_000_000 - 172_800_000)
    expect(parseMoment('--since', '2026-03-01', 0)).toBe(Date.parse('2026-03-01'))
  })

  test.each(['', '30', 'm', '-5m', '0m', 'soon'])('do not include %j', text => {
    expect(() => parseDuration('--for', text)).toThrow('--for takes a duration')
  })
})
