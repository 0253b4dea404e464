import { expect, test } from 'vitest'
import { csvCell, formatAge, formatBytes, formatDuration, plural } from './format.js'
import { nearest } from './nearest.js'

test('the nearest word is found when it is near, and only then', () => {
  const keys = ['terminal.quiet_ms', 'terminal.cap_ms', 'sessions.max_total']
  expect(nearest('termnal.quiet_ms', keys)).toBe('terminal.quiet_ms')
  expect(nearest('Terminal.Quiet_ms', keys)).toBe('terminal.quiet_ms')
  expect(nearest('sessions.max_totla', keys)).toBe('sessions.max_total')
  expect(nearest('colour', keys)).toBeUndefined()
  expect(nearest('sttaus', ['stats', 'status'])).toBe('status')
  expect(nearest('x', [])).toBeUndefined()
})

test('a CSV cell is quoted when it must be and never a formula', () => {
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

test('amounts are written for people', () => {
  expect([plural(1, 'run'), plural(0, 'run'), plural(2, 'entry', 'entries')]).toEqual(['1 run', '0 runs', '2 entries'])
  expect([0, 850, 1000, 12_400, 185_000, 7_200_000, 7_260_000, 356_400_000, -5].map(formatDuration)).toEqual([
    '0 ms',
    '850 ms',
    '1 s',
    '12 s',
    '3 min 5 s',
    '2 h',
    '2 h 1 min',
    '4 d 3 h',
    '0 ms',
  ])
  expect([-1, 0, 12_000, 300_000, 7_200_000, 90_000_000].map(formatAge)).toEqual([
    'just now',
    'just now',
    '12 s ago',
    '5 min ago',
    '2 h ago',
    '1 d ago',
  ])
  expect([0, 512, 1536, 20 * 1024 * 1024, 1024 * 1024 - 1, 5 * 1024 ** 4].map(formatBytes)).toEqual([
    '0 B',
    '512 B',
    '1.5 KiB',
    '20 MiB',
    '1 MiB',
    '5 TiB',
  ])
})
