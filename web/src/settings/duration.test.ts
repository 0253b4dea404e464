import { describe, expect, it } from 'vitest'
import { durationText, parseDurationText } from './duration'

describe('a duration in a settings field', () => {
  it.each([
    [300, 's', '5 min'],
    [30, 's', '30 s'],
    [5400, 's', '1 h 30 min'],
    [0.5, 's', '0.5 s'],
    [700, 'ms', '700 ms'],
    [10, 'min', '10 min'],
    [365, 'd', '365 days'],
    [0, 's', '0 s'],
  ] as const)('is shown for %s %s as %s, and parsed back', (value, unit, text) => {
    expect(durationText(value, unit)).toBe(text)
    expect(parseDurationText(text, unit)).toBe(value)
  })

  it('accepts the usual spellings, and refuses a number without a unit', () => {
    expect(parseDurationText('2 minutes', 's')).toBe(120)
    expect(parseDurationText('1h30m', 's')).toBe(5400)
    expect(parseDurationText('1.5 h', 'min')).toBe(90)
    expect(parseDurationText('10', 's')).toBe(null)
    expect(parseDurationText('soon', 's')).toBe(null)
  })
})
