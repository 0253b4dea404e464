import { describe, expect, test } from 'vitest'
import { nextTime, parseCron } from './cron.js'

const at = (text: string) => new Date(text).getTime()
const next = (cron: string, after: string) => new Date(nextTime(parseCron(cron), at(after))!).toString().slice(0, 21)

describe('the next time of a cron expression', () => {
  test.each([
    ['0 2 * * *', '2026-03-04T01:59:59', 'Wed Mar 04 2026 02:00'],
    ['0 2 * * *', '2026-03-04T02:00:00', 'Thu Mar 05 2026 02:00'],
    ['*/20 9-10 * * *', '2026-03-04T10:40:00', 'Thu Mar 05 2026 09:00'],
    ['5/20 * * * *', '2026-03-04T10:06:00', 'Wed Mar 04 2026 10:25'],
    ['30 8 * * mon-fri', '2026-03-06T09:00:00', 'Mon Mar 09 2026 08:30'],
    ['0 0 * * 7', '2026-03-04T00:00:00', 'Sun Mar 08 2026 00:00'],
    ['0 0 29 feb *', '2026-03-01T00:00:00', 'Tue Feb 29 2028 00:00'],
    // Either day is enough if both are restricted.
    ['0 0 13 * fri', '2026-03-01T00:00:00', 'Fri Mar 06 2026 00:00'],
    ['@monthly', '2026-03-01T00:00:00', 'Wed Apr 01 2026 00:00'],
  ])('%s after %s is %s', (cron, after, expected) => {
    expect(next(cron, after)).toBe(expected)
  })
})

test.each([
  ['0 2 * *', /five fields/],
  ['60 * * * *', /"60" .* is not a minute \(0 to 59\)/],
  ['* * * * monday', /day of the week/],
  ['5-1 * * * *', /is not a minute/],
  ['*/0 * * * *', /is not a minute/],
  ['0 0 30 2 *', /matches no date/],
])('the cron expression %s is refused', (cron, problem) => {
  expect(() => parseCron(cron)).toThrow(problem)
})
