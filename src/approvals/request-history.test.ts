import { expect, test } from 'vitest'
import { historyOf } from './request-history.js'
import { recordOf, reportedOf } from './testing/fixtures.js'

const NOW = 10_000_000
const MINUTE = 60_000
const asked = reportedOf({})
/** The same request by a hook, so many minutes ago; the menu was seen, too. */
const told = (minutes: number) => recordOf({ ...asked, menuPrint: 'menu', requestedAt: NOW - minutes * MINUTE })
/** The same request as the screen alone told it. */
const seen = (minutes: number) => recordOf({ menuPrint: 'menu', requestedAt: NOW - minutes * MINUTE })

test('the fifth time within ten minutes is a loop, the fourth is not', () => {
  expect(historyOf(asked, [told(4), told(3), told(2)], NOW)).toEqual({})
  expect(historyOf(asked, [told(4), told(3), told(2), told(1)], NOW)).toEqual({ repeats: 5 })
})

test('what was longer ago does not count', () => {
  expect(historyOf(asked, [told(11), told(3), told(2), told(1)], NOW)).toEqual({})
})

test('one that only the screen told of counts by its menu, and others do not', () => {
  const other = recordOf({ menuPrint: 'another menu', requestedAt: NOW - MINUTE })
  expect(historyOf(asked, [seen(4), told(3), told(2), told(1)], NOW)).toEqual({ repeats: 5 })
  expect(historyOf(asked, [other, told(3), told(2), told(1)], NOW)).toEqual({})
})
