import { expect, test } from 'vitest'
import { historyOf } from './request-history.js'
import { recordOf, reportedOf } from './testing/fixtures.js'

const NOW = 10_000_000
const MINUTE = 60_000
const asked = reportedOf({})
/** The same request by a hook, this many minutes ago, with its menu. */
const told = (minutes: number) => recordOf({ ...asked, menuHash: 'menu', requestedAt: NOW - minutes * MINUTE })
/** The same request from the screen alone. */
const seen = (minutes: number) => recordOf({ menuHash: 'menu', requestedAt: NOW - minutes * MINUTE })

test('the fifth request within ten minutes is a loop, and the fourth is not', () => {
  expect(historyOf(asked, [told(4), told(3), told(2)], NOW)).toEqual({})
  expect(historyOf(asked, [told(4), told(3), told(2), told(1)], NOW)).toEqual({ repeats: 5 })
})

test('older requests do not count as repetitions', () => {
  expect(historyOf(asked, [told(11), told(3), told(2), told(1)], NOW)).toEqual({})
})

test('a request from the screen is counted by its menu', () => {
  const other = recordOf({ menuHash: 'another menu', requestedAt: NOW - MINUTE })
  expect(historyOf(asked, [seen(4), told(3), told(2), told(1)], NOW)).toEqual({ repeats: 5 })
  expect(historyOf(asked, [other, told(3), told(2), told(1)], NOW)).toEqual({})
})
