import { expect, test } from 'vitest'
import type { SessionRecord } from '../sessions/index.js'
import { findSession } from './find-session.js'

const record = (id: string, number: number, person: string, state: 'live' | 'ended' = 'live') =>
  ({ id, number, person, state }) as SessionRecord

test('a number means first a session of the person who uses it', () => {
  const records = [record('ses_a', 2, 'local'), record('ses_b', 2, 'bob')]
  expect(findSession(records, '2', 'local').id).toBe('ses_a')
  expect(findSession(records, '2', 'bob').id).toBe('ses_b')
  expect(findSession(records, '2', 'eve').id).toBe('ses_b')
})

test('an ended session of the person precedes the running one of another person', () => {
  const records = [record('ses_a', 2, 'local', 'ended'), record('ses_b', 2, 'bob')]
  expect(findSession(records, '2', 'local').id).toBe('ses_a')
  expect(findSession(records, '2').id).toBe('ses_b')
})

test('an id finds the session of any person', () => {
  expect(findSession([record('ses_a1', 1, 'bob')], 'a1', 'local').id).toBe('ses_a1')
})
