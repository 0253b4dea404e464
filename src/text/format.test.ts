import { expect, test } from 'vitest'
import { closestMatch } from './closest-match.js'
import { csvCell, formatAge, formatDuration, plural } from './format.js'

test('the nearest word is returned only when it is close', () => {
  const keys = ['terminal.quiet_ms', 'terminal.cap_ms', 'sessions.max_total']
  expect(closestMatch('termnal.quiet_ms', keys)).toBe('terminal.quiet_ms')
  expect(closestMatch('Terminal.Quiet_ms', keys)).toBe('terminal.quiet_ms')
  expect(closestMatch('sessions.max_totla', keys)).toBe('sessions.max_total')
  expect(closestMatch('colour', keys)).toBeUndefined()
  expect(closestMatch('sttaus', ['stats', 'status'])).toBe('status')
  expect(closestMatch('x', [])).toBeUndefined()
})

test('a CSV cell is quoted when necessary and never becomes a formula', () => {
  expect(['=1+1', '+1', '-1', '@x', '\tx', '\rx'].map(csvCell)).toEqual([
    "'=1+1",
    "'+1",
    "'-1",
    "'@x",
    "'\tx",
    '"\'\rx"',
  ])
  expect(csvCell('a,"b"\nc')).toBe('"a,""b""\nc"')
  expect([csvCell(-5), csvCell(null), csvCell(undefined), csvCell(true), csvCell('plain')]).toEqual([
    '-5',
    '',
    '',
    'true',
    'plain',
  ])
})

test('counts, durations and ages are formatted for people', () => {
  expect([plural(1, 'run'), plural(0, 'run'), plural(2, 'entry', 'entries')]).toEqual(['1 run', '0 runs', '2 entries'])
  expect([0, 850, 1000, 12_400, 185_000, 7_200_000, 7_260_000, 356_400_000, -5].map(formatDuration)).toEqual([
    '<0.1 s',
    '0.8 s',
    '1 s',
    '12 s',
    '3 min 5 s',
    '2 h',
    '2 h 1 min',
    '4 d 3 h',
    '<0.1 s',
  ])
  expect([-1, 0, 12_000, 300_000, 7_200_000, 90_000_000].map(formatAge)).toEqual([
    'just now',
    'just now',
    '12 s ago',
    '5 min ago',
    '2 h ago',
    '1 day ago',
  ])
})
