import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvCell, formatAge, formatBytes, formatDuration, plural } from './format.js'
import { nearest } from './nearest.js'
import { displayWidth, truncate, wrapWords } from './width.js'

describe('display width', () => {
  test.each([
    [2, ['🚀', '✅', '☕', '漢', '👩‍💻', '🇫🇷', '❤️', '한', 'ｱﾞ']],
    [1, ['●', '○', '◐', '⏺', '✳', '✻', '⚠', '⏸', '⏵', '▣', '△', '❯', '…', '─', 'ｱ', 'ﾞ', 'e\u0301', 'a']],
    [0, ['', '\u0301', '\u200b', '\u0007']],
  ])('%i cells', (width, texts) => {
    for (const text of texts) expect(displayWidth(text), JSON.stringify(text)).toBe(width)
  })

  test('sums over a text', () => {
    expect(displayWidth('abc 漢字 👩‍💻!')).toBe(12)
  })
})

describe('truncate', () => {
  test('keeps what fits and marks what is missing', () => {
    expect(truncate('hello', 5)).toBe('hello')
    expect(truncate('hello world', 8)).toBe('hello w…')
    expect(truncate('hello world', 8, { from: 'start' })).toBe('…o world')
    expect(truncate('hello world', 8, { from: 'middle' })).toBe('hell…rld')
    expect(truncate('漢字漢字', 4)).toBe('漢…')
    expect(truncate('abc', 0)).toBe('')
  })

  test('never exceeds the cells and never cuts a cluster', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 30 }), (text, cells) => {
        for (const from of ['start', 'end', 'middle'] as const) {
          const cut = truncate(text, cells, { from })
          expect(displayWidth(cut)).toBeLessThanOrEqual(Math.max(0, cells))
        }
        if (displayWidth(text) > cells && cells > 0)
          expect(text.startsWith(truncate(text, cells).slice(0, -1))).toBe(true)
      }),
    )
  })
})

describe('wrap words', () => {
  test('breaks at blanks, cuts what is too long, keeps breaks and indentation', () => {
    expect(wrapWords('the quick brown fox', 10)).toEqual(['the quick', 'brown fox'])
    expect(wrapWords('  indented text here', 10)).toEqual(['  indented', 'text here'])
    expect(wrapWords('abcdefghijkl', 5)).toEqual(['abcde', 'fghij', 'kl'])
    expect(wrapWords('a\n\nb', 5)).toEqual(['a', '', 'b'])
    expect(wrapWords('漢字漢字', 5)).toEqual(['漢字', '漢字'])
  })

  test('loses no word and exceeds no line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 2, max: 20 }), (text, cells) => {
        const lines = wrapWords(text, cells)
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(cells)
        expect(lines.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''))
      }),
    )
  })
})

test('the nearest word is found when it is near, and only then', () => {
  const keys = ['terminal.scrollback', 'terminal.size', 'sessions.max_total']
  expect(nearest('termnal.scrollback', keys)).toBe('terminal.scrollback')
  expect(nearest('Terminal.Scrollback', keys)).toBe('terminal.scrollback')
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
